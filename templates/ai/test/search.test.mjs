/**
 * Tests that users find their own documents, but not those of other users. Uses the models in supabase/functions/.env,
 * if there are any.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { createTestBackend } from 'plinth/testing';

let backend;
let ada;
let bob;

async function signUp(email) {
  const client = createClient(backend.url, backend.keys.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { error } = await client.auth.signUp({ email, password: 'correct horse 9' });
  assert.equal(error, null);
  return client;
}

async function call(client, name, body) {
  const { data, error } = await client.functions.invoke(name, { body });
  assert.equal(error, null);
  return data;
}

async function add(client, content) {
  const { model, vectors } = await call(client, 'embed', { input: [content] });
  const { error } = await client.from('documents').insert({ content, model, embedding: vectors[0] });
  assert.equal(error, null);
}

before(async () => {
  backend = await createTestBackend();
  ada = await signUp('ada@example.com');
  bob = await signUp('bob@example.com');
  await add(ada, 'The office is closed on public holidays.');
  await add(ada, 'Invoices are paid within thirty days.');
  await add(bob, 'The office is open every day, also on public holidays.');
});
after(() => backend?.stop());

test('the nearest passage comes first', async () => {
  const { passages } = await call(ada, 'answer', { question: 'When are invoices paid?' });
  assert.equal(passages[0].content, 'Invoices are paid within thirty days.');
  assert.equal(passages.length, 2);
});

test('users find only their own documents', async () => {
  const { passages } = await call(bob, 'answer', { question: 'The office is closed on public holidays.' });
  assert.deepEqual(
    passages.map(({ content }) => content),
    ['The office is open every day, also on public holidays.'],
  );
});

test('a caller without a session gets neither embeddings nor documents', async () => {
  const anon = createClient(backend.url, backend.keys.publishableKey);
  const { error } = await anon.functions.invoke('embed', { body: { input: ['text'] } });
  assert.equal(error?.context.status, 401);
  const search = await anon.rpc('match_documents', {
    query_embedding: Array(384).fill(1),
    query_model: 'words',
  });
  assert.equal(search.data, null);
});
