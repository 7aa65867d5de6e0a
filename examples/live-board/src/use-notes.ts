import { useEffect, useState } from 'react';
import { type Note, supabase } from './supabase.ts';

/** All notes, newest first, kept current by the changes the database sends. */
export function useNotes(): { notes: Note[]; error: string | undefined; live: boolean } {
  const [notes, setNotes] = useState<Note[]>([]);
  const [error, setError] = useState<string>();
  const [live, setLive] = useState(false);

  useEffect(() => {
    const load = async () => {
      const { data, error } = await supabase
        .from('notes')
        .select('*')
        .order('id', { ascending: false })
        .limit(100);
      if (error) setError(error.message);
      else setNotes(data as Note[]);
    };
    const channel = supabase
      .channel('notes')
      .on<Note>('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, (change) => {
        setNotes((current) => {
          if (change.eventType === 'DELETE') return current.filter((note) => note.id !== change.old.id);
          const others = current.filter((note) => note.id !== change.new.id);
          return [...others, change.new].sort((a, b) => b.id - a.id);
        });
      })
      .on('system', {}, (message: { extension?: string; status?: string }) => {
        if (message.extension !== 'postgres_changes' || message.status !== 'ok') return;
        // From here on nothing is missed; what came before is loaded now.
        setLive(true);
        void load();
      })
      .subscribe();
    return () => {
      void supabase.removeChannel(channel);
    };
  }, []);

  return { notes, error, live };
}
