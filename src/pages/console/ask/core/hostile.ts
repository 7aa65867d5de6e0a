/** Makes text harmless that a schema's author or a model has written. */

/**
 * Replaces control characters, except line breaks and tabs, and the controls that reorder bidirectional text, because
 * they can hide a part of a statement.
 */
export const visible = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, '\ufffd');

/** Returns text for one line of the schema, without characters that could end its block. */
export const oneLine = (text: string, maxChars: number): string => {
  const line = visible(text)
    .replaceAll(/[\n\t]+/g, ' ')
    .replaceAll('<', '‹')
    .replaceAll('`', "'");
  return line.length > maxChars ? `${line.slice(0, maxChars)}…` : line;
};
