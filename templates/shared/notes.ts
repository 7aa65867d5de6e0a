/** Reads and writes notes. Row level security limits each query to the user's own rows. */
import type { SupabaseClient } from '@supabase/supabase-js';

export interface Note {
  readonly id: number;
  readonly text: string;
  readonly image_path: string | null;
  readonly created_at: string;
}

export interface Image {
  readonly body: Blob | ArrayBuffer;
  /** The media type, such as `image/png`. */
  readonly type: string;
}

const bucket = 'images';
const signedForSeconds = 3600;

export async function listNotes(supabase: SupabaseClient): Promise<Note[]> {
  const { data, error } = await supabase
    .from('notes')
    .select('id, text, image_path, created_at')
    .order('created_at', { ascending: false });
  if (error) throw error;
  return data;
}

export async function addNote(supabase: SupabaseClient, text: string, image?: Image): Promise<void> {
  const image_path = image === undefined ? null : await upload(supabase, image);
  const { error } = await supabase.from('notes').insert({ text, image_path });
  if (error) throw error;
}

export async function removeNote(supabase: SupabaseClient, { id, image_path }: Note): Promise<void> {
  const { error } = await supabase.from('notes').delete().eq('id', id);
  if (error) throw error;
  if (image_path !== null) await supabase.storage.from(bucket).remove([image_path]);
}

/** Returns a temporary URL, because the bucket is private. */
export async function imageUrl(supabase: SupabaseClient, path: string): Promise<string> {
  const { data, error } = await supabase.storage.from(bucket).createSignedUrl(path, signedForSeconds);
  if (error) throw error;
  return data.signedUrl;
}

/**
 * Calls `onChange` after every change and after the connection is established or restored. Returns a function that
 * stops these calls.
 */
export function watchNotes(supabase: SupabaseClient, onChange: () => void): () => void {
  const channel = supabase
    .channel('notes')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, onChange)
    .subscribe((status) => {
      if (status === 'SUBSCRIBED') onChange();
    });
  return () => void supabase.removeChannel(channel);
}

async function upload(supabase: SupabaseClient, { body, type }: Image): Promise<string> {
  const { data } = await supabase.auth.getSession();
  const user = data.session?.user.id;
  if (user === undefined) throw new Error('Sign in to upload an image.');
  const path = `${user}/${Date.now()}-${Math.random().toString(36).slice(2)}`;
  const { error } = await supabase.storage.from(bucket).upload(path, body, { contentType: type });
  if (error) throw error;
  return path;
}
