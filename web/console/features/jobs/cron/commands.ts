/** Templates for a job's command. */

export const functionCommand = 'select public.my_function();';
export const queueCommand = `select pgmq.send('my_queue', '{"hello": "world"}');`;
export const requestCommand = `select net.http_post(
  url := 'https://example.com/path',
  body := '{"hello": "world"}'::jsonb,
  headers := '{"Content-Type": "application/json"}'::jsonb,
  timeout_milliseconds := 5000
);`;

/**
 * Returns a command that calls an edge function. @example edgeFunctionCommand('http://127.0.0.1:54321', 'hello', anonKey)
 */
export const edgeFunctionCommand = (url: string, slug: string, anonKey: string): string => {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${anonKey}` };
  return `select net.http_post(
  url := ${quoted(`${url}/functions/v1/${encodeURIComponent(slug)}`)},
  body := '{}'::jsonb,
  headers := ${quoted(JSON.stringify(headers))}::jsonb,
  timeout_milliseconds := 5000
);`;
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
