import { type FormEvent, useCallback, useEffect, useState } from 'react';
import {
  type Answer,
  addText,
  ask,
  type Document,
  listDocuments,
  removeDocument,
  watchDocuments,
} from './lib/documents.ts';
import { supabase } from './supabase.ts';

export function Documents({ email }: { email: string }) {
  const [documents, setDocuments] = useState<readonly Document[]>([]);
  const [answer, setAnswer] = useState<Answer>();
  const [message, setMessage] = useState('');
  const [isBusy, setIsBusy] = useState(false);

  const load = useCallback(() => {
    listDocuments(supabase).then(setDocuments, (error: Error) => setMessage(error.message));
  }, []);
  // The list is also updated when another tab or device changes it.
  useEffect(() => watchDocuments(supabase, load), [load]);

  async function run(work: () => Promise<void>) {
    setIsBusy(true);
    try {
      await work();
      setMessage('');
    } catch (error) {
      setMessage((error as Error).message);
    } finally {
      setIsBusy(false);
    }
  }

  function submit(event: FormEvent<HTMLFormElement>, work: (text: string) => Promise<void>) {
    event.preventDefault();
    const form = event.currentTarget;
    void run(async () => {
      await work(String(new FormData(form).get('text')));
      form.reset();
      load();
    });
  }

  return (
    <>
      <p>
        Signed in as {email}.{' '}
        <button type="button" onClick={() => void supabase.auth.signOut()}>
          Sign out
        </button>
      </p>
      <form onSubmit={(event) => submit(event, async (text) => setAnswer(await ask(supabase, text)))}>
        <label>
          Question
          <input name="text" required />
        </label>
        <button type="submit" disabled={isBusy}>
          Ask
        </button>
      </form>
      {answer === undefined ? null : <Result answer={answer} />}
      <h2>Documents</h2>
      <form onSubmit={(event) => submit(event, (text) => addText(supabase, text))}>
        <label>
          Text
          <textarea name="text" rows={5} required />
        </label>
        <button type="submit" disabled={isBusy}>
          Add text
        </button>
      </form>
      <p role="alert">{message}</p>
      <ul>
        {documents.map((document) => (
          <li key={document.id}>
            {document.content}
            <button
              type="button"
              onClick={() => void run(() => removeDocument(supabase, document.id).then(load))}
            >
              Delete {document.content.slice(0, 30)}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function Result({ answer: { question, text, passages, model } }: { answer: Answer }) {
  return (
    <section aria-label={`Results for ${question}`}>
      {text === null ? null : <p>{text}</p>}
      {passages.length === 0 ? <p>Nothing found. Add a text first.</p> : null}
      <ol>
        {passages.map(({ id, content, similarity }) => (
          <li key={id}>
            {content} <small>{Math.round(similarity * 100)}% similar</small>
          </li>
        ))}
      </ol>
      {model === 'words' ? (
        <p>
          <small>
            No model is configured, so the search compares words and parts of words, not the meaning.
            README.md describes how to add a model.
          </small>
        </p>
      ) : null}
    </section>
  );
}
