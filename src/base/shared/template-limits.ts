/** The maximum size of an email template that is edited in the Console or pushed to a server. */

const maxCharacters = 100_000;
/**
 * The number of lines is limited because comparing a template with its previous text takes time and memory for each
 * pair of lines.
 */
const maxLines = 2000;

/** No template that is small enough has a file that is larger than this. */
export const maxTemplateFileBytes = 4 * maxCharacters;

/** Returns the reason why a template is too large, or undefined if its size is allowed. */
export function templateSizeFault(html: string): string | undefined {
  if (html.length > maxCharacters) return `can have up to ${maxCharacters} characters`;
  return html.split('\n').length > maxLines ? `can have up to ${maxLines} lines` : undefined;
}
