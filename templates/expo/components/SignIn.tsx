import { useState } from 'react';
import { Button, Text, TextInput, View } from 'react-native';
import { supabase } from '../lib/supabase';
import { styles } from './styles';

export function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [message, setMessage] = useState('');
  const [isBusy, setIsBusy] = useState(false);

  async function submit(isNew: boolean) {
    setIsBusy(true);
    const { data, error } = isNew
      ? await supabase.auth.signUp({ email, password })
      : await supabase.auth.signInWithPassword({ email, password });
    setIsBusy(false);
    if (error) setMessage(error.message);
    else if (data.session === null) setMessage('Confirm your email address, and then sign in.');
  }

  return (
    <View style={styles.form}>
      <TextInput
        style={styles.input}
        aria-label="Email"
        placeholder="Email"
        autoCapitalize="none"
        autoComplete="email"
        keyboardType="email-address"
        value={email}
        onChangeText={setEmail}
      />
      <TextInput
        style={styles.input}
        aria-label="Password"
        placeholder="Password"
        autoComplete="password"
        secureTextEntry
        value={password}
        onChangeText={setPassword}
      />
      <Text role="alert" style={styles.message}>
        {message}
      </Text>
      <Button title="Sign in" disabled={isBusy} onPress={() => void submit(false)} />
      <Button title="Create account" disabled={isBusy} onPress={() => void submit(true)} />
    </View>
  );
}
