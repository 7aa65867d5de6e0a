/** Stores, lists and searches documents. Row level security limits each query to the user's own rows. */
import { FunctionsHttpError, type SupabaseClient } from '@supabase/supabase-js';

export interface Document {
  readonly id: number;
  readonly content: string;
}

export interface Passage extends Document {
  /** The cosine similarity with the question. 1 means equal. */
  readonly similarity: number;
}

export interface Answer {
  readonly question: string;
  /** The chat model's answer. Null if no chat model is configured. */
  readonly text: string | null;
  readonly passages: readonly Passage[];
  /** The embedding model, or `words`, which compares words and needs no model. */
  readonly model: string;
}

/** Embeddings of short passages are more exact than those of long texts. */
const maxPassage = 1000;
/** The number of passages in one request. */
const batch = 50;

export async function listDocuments(supabase: SupabaseClient): Promise<Document[]> {
  const { data, error } = await supabase
    .from('documents')
    .select('id, content')
    .order('id', { ascending: false })
    .limit(200);
  if (error) throw error;
  return data;
}

/** Splits the text into passages and stores each with its embedding. */
export async function addText(supabase: SupabaseClient, text: string): Promise<void> {
  const passages = passagesOf(text);
  for (let start = 0; start < passages.length; start += batch) {
    const input = passages.slice(start, start + batch);
    const { model, vectors } = await call<{ model: string; vectors: number[][] }>(supabase, 'embed', {
      input,
    });
    const rows = input.map((content, index) => ({ content, model, embedding: vectors[index] }));
    const { error } = await supabase.from('documents').insert(rows);
    if (error) throw error;
  }
}

export async function ask(supabase: SupabaseClient, question: string): Promise<Answer> {
  return { question, ...(await call<Omit<Answer, 'question'>>(supabase, 'answer', { question })) };
}

export async function removeDocument(supabase: SupabaseClient, id: number): Promise<void> {
  const { error } = await supabase.from('documents').delete().eq('id', id);
  if (error) throw error;
}

/**
 * Calls `onChange` after every change and after the connection is established or restored. Returns a function that
 * stops these calls.
 */
export function watchDocuments(supabase: SupabaseClient, onChange: () => void): () => void {
  const channel = supabase
    .channel('documents')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'documents' }, onChange)
    .subscribe((status) => {
      if (status === 'SUBSCRIBED') onChange();
    });
  return () => void supabase.removeChannel(channel);
}

/** Splits a text at empty lines, and long paragraphs also at spaces. */
export function passagesOf(text: string): string[] {
  return text
    .split(/\n\s*\n/)
    .flatMap(
      (paragraph) =>
        paragraph.match(new RegExp(`\\S[^]{0,${maxPassage - 1}}(?=\\s|$)|\\S{1,${maxPassage}}`, 'g')) ?? [],
    )
    .map((passage) => passage.trim())
    .filter((passage) => passage !== '');
}

/** Calls a server function. Errors contain the function's own message. */
async function call<T>(supabase: SupabaseClient, name: string, body: object): Promise<T> {
  const { data, error } = await supabase.functions.invoke<T>(name, { body: { ...body } });
  if (error instanceof FunctionsHttpError) {
    const { message } = (await error.context.json().catch(() => ({}))) as { message?: string };
    throw new Error(message ?? error.message);
  }
  if (error) throw error;
  return data as T;
}
