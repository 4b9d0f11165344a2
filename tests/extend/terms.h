/* The row of the table of terms (src/term/term_list.h) that only this program has. */
TERM_ROW(tether)
