/* Terms of the elements and springs of a model, one row each: the name of its term_row. A new term
 * is one file that defines its row (term_row.h), and one line here; the step creates, sums, damps,
 * saves and measures it. Terms are added to the potential in this order. Included where a list of
 * all is made; no include guard. */
TERM_ROW(membrane)
TERM_ROW(bending)
TERM_ROW(rod_stretch)
TERM_ROW(rod_bend)
TERM_ROW(stitch)
TERM_ROW(strain_limit)
TERM_ROW(twist)
TERM_ROW(inversion_barrier)
TERM_ROW(joint)
TERM_ROW(cavity)
TERM_ROW(dilatation)
TERM_ROW(wind)
TERM_ROW(buoyancy)
#ifdef ABUT_EXTEND_TERMS /* rows of a program that brings terms of its own (tests/extend) */
#include ABUT_EXTEND_TERMS
#endif
#undef TERM_ROW
