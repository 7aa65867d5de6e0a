/**
 * Turns texts into embeddings, with a model or without one. A model is any endpoint with OpenAI's format, such as those
 * of OpenAI, Mistral and Ollama. README.md lists the environment variables.
 */

/** The number of dimensions of the column `embedding`. */
const dimensions = 384;
const maxTexts = 50;
const maxLength = 8000;

export interface Embedded {
  /** The name of the model, or `words`. */
  readonly model: string;
  readonly vectors: readonly (readonly number[])[];
}

/** An error whose message the caller may see. */
export class VisibleError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws {VisibleError} if the input is invalid or the model can't be used */
export async function embed(input: unknown): Promise<Embedded> {
  if (!Array.isArray(input) || input.length === 0 || input.length > maxTexts)
    throw new VisibleError(400, `The input must be a list of 1 to ${maxTexts} texts.`);
  const texts = input.map((text: unknown) => {
    if (typeof text !== 'string' || text.trim() === '' || text.length > maxLength)
      throw new VisibleError(400, `Each text must have 1 to ${maxLength} characters.`);
    return text;
  });
  const url = Deno.env.get('EMBEDDING_URL');
  if (!url) return { model: 'words', vectors: texts.map(wordVector) };
  const model = Deno.env.get('EMBEDDING_MODEL') ?? '';
  const shortened = Deno.env.get('EMBEDDING_DIMENSIONS');
  const { data } = await callModel<{ data: { index: number; embedding: number[] }[] }>(
    url,
    Deno.env.get('EMBEDDING_API_KEY'),
    { model, input: texts, ...(shortened ? { dimensions: Number(shortened) } : {}) },
  );
  const vectors = data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  const wrong = vectors.find(({ length }) => length !== dimensions);
  if (wrong !== undefined)
    throw new VisibleError(
      500,
      `The model returned ${wrong.length} dimensions instead of ${dimensions}. README.md describes how to change the number.`,
    );
  return { model, vectors };
}

/** Sends a request to a model's endpoint. @throws {VisibleError} */
export async function callModel<T>(url: string, key: string | undefined, body: object): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify(body),
  }).catch((error: Error) => error);
  if (response instanceof Response && response.ok) return await response.json();
  // The log contains the reason, which may name the account.
  console.error(
    url,
    response instanceof Error ? response.message : `${response.status} ${await response.text()}`,
  );
  throw new VisibleError(502, "The model didn't respond. The function's log contains the reason.");
}

/**
 * Compares texts without a model: each word and each part of a word of three letters selects one dimension by its hash.
 * Texts with the same words are similar. Synonyms aren't.
 */
function wordVector(text: string): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  const add = (part: string, weight: number): void => {
    const hash = hashOf(part);
    const at = hash % dimensions;
    vector[at] = (vector[at] ?? 0) + (hash & 0x40000000 ? weight : -weight);
  };
  const words = text
    .toLowerCase()
    .normalize('NFKD')
    .match(/[\p{L}\p{N}]+/gu) ?? [text];
  for (const word of words) {
    add(word, 1);
    const marked = `<${word}>`;
    for (let at = 0; at + 3 <= marked.length; at++) add(marked.slice(at, at + 3), 0.5);
  }
  const length = Math.hypot(...vector);
  // The parts of a text can cancel each other out. A vector without length has no direction.
  if (length === 0) vector[hashOf(text) % dimensions] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** FNV-1a, with 31 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash & 0x7fffffff;
}
