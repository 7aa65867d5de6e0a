import type { User } from '@supabase/supabase-js';
import { type FormEvent, useState } from 'react';
import { supabase } from './supabase.ts';

interface Props {
  user: User;
  onProblem: (text: string | undefined) => void;
}

export function NewNote({ user, onProblem }: Props) {
  const [busy, setBusy] = useState(false);

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const fields = new FormData(form);
    const file = fields.get('photo');
    setBusy(true);
    onProblem(undefined);
    try {
      const photo = file instanceof File && file.size > 0 ? await upload(user, file) : null;
      const { error } = await supabase.from('notes').insert({ body: String(fields.get('body')), photo });
      if (error) throw error;
      form.reset();
    } catch (error) {
      onProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form onSubmit={add} aria-busy={busy}>
      <label className="body">
        Note
        <input name="body" required maxLength={280} autoComplete="off" />
      </label>
      <label className="photo">
        Photo
        <input name="photo" type="file" accept="image/png,image/jpeg,image/webp,image/gif" />
      </label>
      <button type="submit" disabled={busy}>
        Add
      </button>
    </form>
  );
}

/**
 * Uploads the file to the user's own folder, because the policy on storage.objects allows uploads only to that folder.
 */
async function upload(user: User, file: File): Promise<string> {
  const path = `${user.id}/${crypto.randomUUID()}.${file.type.split('/').pop()}`;
  const { error } = await supabase.storage.from('photos').upload(path, file);
  if (error) throw error;
  return path;
}
