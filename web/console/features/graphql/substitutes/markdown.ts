/**
 * Renders descriptions in GraphiQL (`web/build/graphiql-parts.ts`). They are comments in the database, so only paragraphs
 * and code are rendered. Everything else is shown as it is written.
 */
export default class MarkdownIt {
  /** @example new MarkdownIt().render('The `id`.') // '<p>The <code>id</code>.</p>' */
  render(text: string): string {
    return text
      .trim()
      .split(/\n\s*\n/)
      .map((paragraph) => `<p>${escapeHtml(paragraph).replaceAll(/`([^`]+)`/g, '<code>$1</code>')}</p>`)
      .join('');
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (found) => entities[found] ?? found);
