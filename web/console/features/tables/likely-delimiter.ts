/** What separates the fields of a CSV file, by the first line: it names columns, of which most names hold none of these. */
const delimiters = [',', ';', '\t', '|'] as const;

export function likelyDelimiter(text: string): (typeof delimiters)[number] {
  const [line = ''] = text.replaceAll(/"(?:[^"]|"")*"/g, '').split(/\r?\n/, 1);
  const count = (delimiter: string): number => line.split(delimiter).length;
  return delimiters.reduce((best, each) => (count(each) > count(best) ? each : best));
}
