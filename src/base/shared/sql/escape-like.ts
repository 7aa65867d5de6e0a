/** Escapes `%`, `_` and the escape character in a text, so that LIKE matches the text literally. */
export const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');
