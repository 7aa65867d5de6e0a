import { launchImageLibraryAsync } from 'expo-image-picker';
import { useCallback, useEffect, useState } from 'react';
import { Button, FlatList, Image, Text, TextInput, View } from 'react-native';
import {
  addNote,
  imageUrl,
  listNotes,
  type Image as NewImage,
  type Note,
  removeNote,
  watchNotes,
} from '../lib/notes';
import { supabase } from '../lib/supabase';
import { styles } from './styles';

export function Notes({ email }: { email: string }) {
  const [notes, setNotes] = useState<readonly Note[]>([]);
  const [text, setText] = useState('');
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
  // The list is also updated when another device changes it.
  useEffect(() => watchNotes(supabase, load), [load]);

  const add = (image?: NewImage) =>
    run(async () => {
      await addNote(supabase, text, image);
      setText('');
      setNotes(await listNotes(supabase));
    });

  async function addWithImage() {
    const { assets } = await launchImageLibraryAsync({ mediaTypes: ['images'], quality: 0.8 });
    const asset = assets?.[0];
    if (asset === undefined) return;
    // React Native can't upload a Blob, so the image's bytes are read first.
    const body = await fetch(asset.uri).then((response) => response.arrayBuffer());
    await add({ body, type: asset.mimeType ?? 'image/jpeg' });
  }

  return (
    <>
      <Text>Signed in as {email}.</Text>
      <Button title="Sign out" onPress={() => void supabase.auth.signOut()} />
      <View style={styles.form}>
        <TextInput
          style={styles.input}
          aria-label="Note"
          placeholder="Note"
          value={text}
          onChangeText={setText}
        />
        <Button title="Add note" disabled={text === ''} onPress={() => void add()} />
        <Button title="Add note with image" disabled={text === ''} onPress={() => void addWithImage()} />
      </View>
      <Text role="alert" style={styles.message}>
        {message}
      </Text>
      <FlatList
        data={notes}
        keyExtractor={({ id }) => String(id)}
        renderItem={({ item }) => (
          <View style={styles.note}>
            <Text>{item.text}</Text>
            {item.image_path === null ? null : <NoteImage path={item.image_path} text={item.text} />}
            <Button
              title={`Delete ${item.text}`}
              onPress={() => void run(() => removeNote(supabase, item))}
            />
          </View>
        )}
      />
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
  return url === undefined ? null : (
    <Image source={{ uri: url }} style={styles.image} alt={`Attached to ${text}`} />
  );
}
