import type { User } from '@supabase/supabase-js';
import { useState } from 'react';
import { NewNote } from './new-note.tsx';
import { type Note, signOut, supabase } from './supabase.ts';
import { useNotes } from './use-notes.ts';

interface Stats {
  notes: number;
  done: number;
  authors: number;
}

export function Board({ user }: { user: User }) {
  const { notes, error, live } = useNotes();
  const [problem, setProblem] = useState<string>();

  return (
    <>
      <header>
        <h1>Live board</h1>
        <span className={live ? 'live on' : 'live'} role="status">
          {live ? 'live' : 'connecting'}
        </span>
        <span className="who">{user.email || 'guest'}</span>
        <button type="button" className="quiet" onClick={signOut}>
          Sign out
        </button>
      </header>
      <main>
        <NewNote user={user} onProblem={setProblem} />
        {(problem ?? error) && <p role="alert">{problem ?? error}</p>}
        <h2>Notes</h2>
        {notes?.length === 0 && <p className="empty">No notes yet. Write the first one.</p>}
        <ul aria-busy={notes === undefined}>
          {notes?.map((note) => (
            <Item key={note.id} note={note} own={note.author === user.id} onProblem={setProblem} />
          ))}
        </ul>
        <Count onProblem={setProblem} />
      </main>
    </>
  );
}

interface Reporting {
  onProblem: (text: string | undefined) => void;
}

function Item({ note, own, onProblem }: Reporting & { note: Note; own: boolean }) {
  // This function doesn't change the list of notes. The list is updated when the database reports the change, just as
  // for all other users.
  async function toggle() {
    const { error } = await supabase.from('notes').update({ done: !note.done }).eq('id', note.id);
    onProblem(error?.message);
  }
  const photo = note.photo && supabase.storage.from('photos').getPublicUrl(note.photo).data.publicUrl;
  return (
    <li className={note.done ? 'done' : undefined}>
      <label>
        <input type="checkbox" checked={note.done} disabled={!own} onChange={toggle} />
        <span>{note.body}</span>
      </label>
      <small>
        {own && <span className="tag">yours</span>}
        <time dateTime={note.created_at}>
          {new Date(note.created_at).toLocaleTimeString([], { timeStyle: 'short' })}
        </time>
      </small>
      {photo && <img src={photo} alt={`With the note: ${note.body}`} />}
    </li>
  );
}

function Count({ onProblem }: Reporting) {
  const [stats, setStats] = useState<Stats>();

  async function count() {
    const { data, error } = await supabase.functions.invoke<Stats>('board-stats');
    onProblem(error?.message);
    if (data) setStats(data);
  }

  return (
    <footer>
      <button type="button" className="quiet" onClick={count}>
        Count with a server function
      </button>
      <output>{stats && `Notes: ${stats.notes}, done: ${stats.done}, people: ${stats.authors}`}</output>
    </footer>
  );
}
