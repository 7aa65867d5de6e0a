'use client';

import { type FormEvent, useCallback, useEffect, useState } from 'react';
import { addNote, imageUrl, listNotes, type Note, removeNote, watchNotes } from '../lib/notes';
import { supabase } from '../lib/supabase';

export function Notes({ email }: { email: string }) {
  const [notes, setNotes] = useState<readonly Note[]>([]);
  const [message, setMessage] = useState('');

  const run = useCallback(async (work: () => Promise<void>) => {
    try {
      await work();
      setMessage('');
    } catch (error) {
      setMessage((error as Error).message);
    }
  }, []);
  const load = useCallback(() => void run(async () => setNotes(await listNotes(supabase))), [run]);
  // The list is also updated when another tab or device changes it.
  useEffect(() => watchNotes(supabase, load), [load]);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const file = data.get('image') as File;
    await run(async () => {
      const image = file.size === 0 ? undefined : { body: file, type: file.type };
      await addNote(supabase, String(data.get('text')), image);
      form.reset();
      setNotes(await listNotes(supabase));
    });
  }

  return (
    <>
      <p>
        Signed in as {email}.{' '}
        <button type="button" onClick={() => void supabase.auth.signOut()}>
          Sign out
        </button>
      </p>
      <form onSubmit={submit}>
        <label>
          Note
          <input name="text" required />
        </label>
        <label>
          Image
          <input name="image" type="file" accept="image/*" />
        </label>
        <button type="submit">Add note</button>
      </form>
      <p role="alert">{message}</p>
      <ul>
        {notes.map((note) => (
          <li key={note.id}>
            {note.text}
            {note.image_path === null ? null : <NoteImage path={note.image_path} text={note.text} />}
            <button type="button" onClick={() => void run(() => removeNote(supabase, note))}>
              Delete {note.text}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function NoteImage({ path, text }: { path: string; text: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    let isCurrent = true;
    imageUrl(supabase, path).then(
      (next) => isCurrent && setUrl(next),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [path]);
  return url === undefined ? null : <img src={url} alt={`Attached to ${text}`} />;
}
