/* The elastic laws of volumes, one row each: constant, name of its elastic_law, word of scenes. A
 * new law is one file that defines its elastic_law (law.h), and one row here; order does not
 * matter, but must not change the first ones. Included where a list of all laws is made; no include
 * guard. */
ELASTIC_LAW(NEO_HOOKEAN, neo_hookean, "neo-hookean")
ELASTIC_LAW(FIXED_COROTATED, fixed_corotated, "fixed-corotated")
ELASTIC_LAW(LINEAR, linear, "linear")
ELASTIC_LAW(SVK, svk, "saint-venant-kirchhoff")
ELASTIC_LAW(MOONEY_RIVLIN, mooney_rivlin, "mooney-rivlin")
ELASTIC_LAW(OGDEN, ogden, "ogden")
ELASTIC_LAW(COROTATED, corotated, "corotated")
ELASTIC_LAW(HENCKY, hencky, "hencky")
#ifdef ABUT_EXTEND_LAWS /* rows of a program that brings laws of its own (tests/extend) */
#include ABUT_EXTEND_LAWS
#endif
#undef ELASTIC_LAW
