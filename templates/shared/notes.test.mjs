// Tests the table, its policies and the bucket with a temporary backend, which has its own database.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { createTestBackend } from 'plinth/testing';

/** @type {import('plinth/testing').TestBackend} */
let backend;
/** @type {import('@supabase/supabase-js').SupabaseClient[]} */
const clients = [];

before(async () => {
  backend = await createTestBackend();
});
after(async () => {
  for (const client of clients) await client.removeAllChannels();
  await backend.stop();
});

/** Returns a client that is signed in as a new user. */
async function signUp() {
  const client = createClient(backend.url, backend.keys.publishableKey);
  clients.push(client);
  const credentials = { email: `user${clients.length}@example.com`, password: 'correct horse' };
  const { data, error } = await client.auth.signUp(credentials);
  assert.equal(error, null);
  return { client, id: data.user.id };
}

test('users read and change only their own notes', async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  assert.equal((await ada.client.from('notes').insert({ text: 'mine' })).error, null);
  assert.deepEqual((await ada.client.from('notes').select('text')).data, [{ text: 'mine' }]);
  assert.deepEqual((await bob.client.from('notes').select('text')).data, []);
  const changed = await bob.client.from('notes').update({ text: 'changed' }).eq('user_id', ada.id).select();
  assert.deepEqual(changed.data, []);
  // A user can't add a note in the name of another user either.
  const foreign = await bob.client.from('notes').insert({ text: 'forged', user_id: ada.id });
  assert.equal(foreign.error?.code, '42501');
});

test('changes arrive immediately', async () => {
  const { client } = await signUp();
  const text = await new Promise((resolve, reject) => {
    client
      .channel('notes')
      .on('postgres_changes', { event: 'INSERT', schema: 'public', table: 'notes' }, (change) =>
        resolve(change.new.text),
      )
      .on('system', {}, () => client.from('notes').insert({ text: 'new' }).then())
      .subscribe((_status, error) => {
        if (error) reject(error);
      });
  });
  assert.equal(text, 'new');
});

test('users read and upload only their own images', async () => {
  const [ada, bob] = [await signUp(), await signUp()];
  const image = new Blob(['image'], { type: 'image/png' });
  const path = `${ada.id}/image.png`;
  assert.equal((await ada.client.storage.from('images').upload(path, image)).error, null);
  assert.equal((await ada.client.storage.from('images').createSignedUrl(path, 60)).error, null);
  assert.notEqual((await bob.client.storage.from('images').createSignedUrl(path, 60)).error, null);
  assert.notEqual((await bob.client.storage.from('images').upload(`${ada.id}/other.png`, image)).error, null);
});
