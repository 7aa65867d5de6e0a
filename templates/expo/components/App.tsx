import type { Session } from '@supabase/supabase-js';
import { StatusBar } from 'expo-status-bar';
import { useEffect, useState } from 'react';
import { Text, View } from 'react-native';
import { supabase } from '../lib/supabase';
import { Notes } from './Notes';
import { SignIn } from './SignIn';
import { styles } from './styles';

export function App() {
  /** Undefined until the stored session has been read. */
  const [session, setSession] = useState<Session | null>();
  useEffect(() => {
    const { data } = supabase.auth.onAuthStateChange((_event, next) => setSession(next));
    return () => data.subscription.unsubscribe();
  }, []);
  if (session === undefined) return null;
  return (
    <View style={styles.screen}>
      <StatusBar style="auto" />
      <Text style={styles.title}>Notes</Text>
      {session === null ? <SignIn /> : <Notes key={session.user.id} email={session.user.email ?? ''} />}
    </View>
  );
}
