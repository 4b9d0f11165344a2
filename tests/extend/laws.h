/* The row of the table of laws (src/material/law_list.h) that only this program has. */
ELASTIC_LAW(STIFFENED, stiffened, "stiffened")
