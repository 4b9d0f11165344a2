/* Enumerations with a word for every constant, so that C, scenes, their reference and Python share
 * one list per concept. The list is a macro of rows, and constants and words follow from it:
 *
 *     #define CCD_METHODS(ROW) ROW(CCD_TIGHT_INCLUSION, "tight-inclusion") ROW(CCD_ADDITIVE,
 * "additive") typedef enum ccd_method { CCD_METHODS(WORD_CONSTANT) } ccd_method; const char *const
 * ccd_method_words[] = {CCD_METHODS(WORD_TEXT) NULL};
 *
 * A word has the index of its constant, the list of words ends with NULL. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#define WORD_CONSTANT(constant, word) constant,
#define WORD_TEXT(constant, word) word,

#endif
