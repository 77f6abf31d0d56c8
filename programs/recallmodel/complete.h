/* complete.h - what may stand in place of a word of the command line. The completion of every shell
 * asks it (completion_scripts.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMPLETE_H
#define COMPLETE_H

/* Prints what may stand in place of the last of these words, which follow the name of the program.
 * The words before it need not be right. Of every line the parts are between tabs:
 *
 *   WORD  WHAT                a word, with what it is (may be missing)
 *   :files  ENDINGS  BEGIN    BEGIN and then a file with one of these endings, between blanks;
 *                             *: with any
 *   :folders  *  BEGIN        BEGIN and then a folder
 *
 * Names are those that begin with what was typed, in large or small letters. */
void complete(int count, char **words);

#endif
