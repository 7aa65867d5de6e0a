import type { RealtimePostgresChangesPayload } from '@supabase/supabase-js';
import { useEffect, useState } from 'react';
import { type Note, supabase } from './supabase.ts';

type Change = RealtimePostgresChangesPayload<Note>;

function apply(notes: Note[], change: Change): Note[] {
  if (change.eventType === 'DELETE') return notes.filter((note) => note.id !== change.old.id);
  const others = notes.filter((note) => note.id !== change.new.id);
  return [...others, change.new].sort((a, b) => b.id - a.id);
}

/** The newest notes, newest first, kept current by the changes the database sends; undefined until they are loaded. */
export function useNotes(): { notes: Note[] | undefined; error: string | undefined; live: boolean } {
  const [notes, setNotes] = useState<Note[]>();
  const [error, setError] = useState<string>();
  const [live, setLive] = useState(false);

  useEffect(() => {
    // What is loaded may be older than a change that arrives meanwhile, so that one is applied afterwards.
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
        // From here on nothing is missed; what came before is loaded now. Also after a lost connection.
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
