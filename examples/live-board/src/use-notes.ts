import type { RealtimePostgresChangesPayload } from '@supabase/supabase-js';
import { useEffect, useState } from 'react';
import { type Note, supabase } from './supabase.ts';

type Change = RealtimePostgresChangesPayload<Note>;

function apply(notes: Note[], change: Change): Note[] {
  if (change.eventType === 'DELETE') return notes.filter((note) => note.id !== change.old.id);
  const others = notes.filter((note) => note.id !== change.new.id);
  return [...others, change.new].sort((a, b) => b.id - a.id);
}

/**
 * Returns the latest notes, newest first. The list is updated when the database changes, and is undefined until it has
 * been loaded.
 */
export function useNotes(): { notes: Note[] | undefined; error: string | undefined; live: boolean } {
  const [notes, setNotes] = useState<Note[]>();
  const [error, setError] = useState<string>();
  const [live, setLive] = useState(false);

  useEffect(() => {
    // Changes that arrive while the rows are being loaded are applied after the load, because the loaded rows may be
    // older.
    let meanwhile: Change[] | undefined;

    async function load() {
      const changes: Change[] = [];
      meanwhile = changes;
      const { data, error } = await supabase
        .from('notes')
        .select('*')
        .order('id', { ascending: false })
        .limit(100);
      if (meanwhile !== changes) return;
      meanwhile = undefined;
      setError(error?.message);
      if (data) setNotes(changes.reduce(apply, data as Note[]));
    }

    const channel = supabase
      .channel('notes')
      .on<Note>('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, (change) => {
        if (meanwhile) meanwhile.push(change);
        else setNotes((current = []) => apply(current, change));
      })
      .on('system', {}, (message: { extension?: string; status?: string }) => {
        if (message.extension !== 'postgres_changes' || message.status !== 'ok') return;
        // The channel now delivers every change, so the existing rows can be loaded. The rows are loaded again after
        // each reconnect.
        setLive(true);
        void load();
      })
      .subscribe((status) => {
        if (status !== 'SUBSCRIBED') setLive(false);
      });
    return () => {
      void supabase.removeChannel(channel);
    };
  }, []);

  return { notes, error, live };
}
