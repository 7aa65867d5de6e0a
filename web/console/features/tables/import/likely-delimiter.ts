/** Detects the delimiter of a CSV file from its first line, because column names rarely contain a delimiter. */
const delimiters = [',', ';', '\t', '|'] as const;

export function likelyDelimiter(text: string): (typeof delimiters)[number] {
  const [line = ''] = text.replaceAll(/"(?:[^"]|"")*"/g, '').split(/\r?\n/, 1);
  const count = (delimiter: string): number => line.split(delimiter).length;
  return delimiters.reduce((best, each) => (count(each) > count(best) ? each : best));
}
