import type { User } from '@supabase/supabase-js';
import { type FormEvent, useRef, useState } from 'react';
import { type Note, supabase } from './supabase.ts';
import { useNotes } from './use-notes.ts';

interface Stats {
  notes: number;
  done: number;
  authors: number;
}

export function Board({ user }: { user: User }) {
  const { notes, error, live } = useNotes();
  const [stats, setStats] = useState<Stats>();
  const [problem, setProblem] = useState<string>();

  async function count() {
    const { data, error } = await supabase.functions.invoke<Stats>('board-stats');
    if (error) setProblem(error.message);
    else setStats(data ?? undefined);
  }

  return (
    <main>
      <header>
        <h1>Live board</h1>
        <span className={live ? 'live on' : 'live'}>{live ? 'live' : 'connecting'}</span>
        <span className="who">{user.email || 'guest'}</span>
        <button type="button" className="quiet" onClick={() => supabase.auth.signOut({ scope: 'local' })}>
          Sign out
        </button>
      </header>
      <NewNote user={user} onProblem={setProblem} />
      {(problem ?? error) && <p role="alert">{problem ?? error}</p>}
      <ul>
        {notes.map((note) => (
          <Item key={note.id} note={note} own={note.author === user.id} onProblem={setProblem} />
        ))}
      </ul>
      {notes.length === 0 && <p className="empty">No notes yet. Write the first one.</p>}
      <footer>
        <button type="button" className="quiet" onClick={count}>
          Count with a server function
        </button>
        {stats && (
          <output>
            {stats.notes} notes, {stats.done} done, by {stats.authors} people
          </output>
        )}
      </footer>
    </main>
  );
}

function NewNote({ user, onProblem }: { user: User; onProblem: (text: string | undefined) => void }) {
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const file = fields.get('photo');
    setBusy(true);
    onProblem(undefined);
    try {
      let photo: string | null = null;
      if (file instanceof File && file.size > 0) {
        const extension = file.name.split('.').pop() ?? 'png';
        photo = `${user.id}/${crypto.randomUUID()}.${extension}`;
        const { error } = await supabase.storage.from('photos').upload(photo, file);
        if (error) throw error;
      }
      const { error } = await supabase.from('notes').insert({ body: String(fields.get('body')), photo });
      if (error) throw error;
      form.current?.reset();
    } catch (error) {
      onProblem((error as Error).message);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form ref={form} onSubmit={add}>
      <label>
        Note
        <input name="body" required maxLength={280} autoComplete="off" />
      </label>
      <label>
        Photo
        <input name="photo" type="file" accept="image/*" />
      </label>
      <button type="submit" disabled={busy}>
        Add
      </button>
    </form>
  );
}

function Item({ note, own, onProblem }: { note: Note; own: boolean; onProblem: (text: string) => void }) {
  async function toggle() {
    const { error } = await supabase.from('notes').update({ done: !note.done }).eq('id', note.id);
    if (error) onProblem(error.message);
  }
  const photo = note.photo && supabase.storage.from('photos').getPublicUrl(note.photo).data.publicUrl;
  return (
    <li className={note.done ? 'done' : undefined}>
      <label>
        <input type="checkbox" checked={note.done} disabled={!own} onChange={toggle} />
        <span>{note.body}</span>
      </label>
      <time dateTime={note.created_at}>{new Date(note.created_at).toLocaleTimeString()}</time>
      {photo && <img src={photo} alt="" />}
    </li>
  );
}
