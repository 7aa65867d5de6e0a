/** Shows a text whose parts in backquotes are displayed as code. */
export function Detail({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
    index % 2 === 0 ? part : <code key={index}>{part}</code>,
  );
}
