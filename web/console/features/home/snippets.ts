/** How to talk to this backend, with its real address and key. */
import type { Home } from '../../api/types.ts';

export interface Snippet {
  readonly id: 'supabase-js' | 'react' | 'curl' | 'psql';
  /** Names are those of the tools, in every language. */
  readonly name: string;
  readonly code: string;
}

export function snippets({ url, publishableKey, database }: Home, table: string): readonly Snippet[] {
  return [
    {
      id: 'supabase-js',
      name: 'supabase-js',
      code: `// npm install @supabase/supabase-js
import { createClient } from '@supabase/supabase-js';

const supabase = createClient(
  '${url}',
  '${publishableKey}',
);

const { data, error } = await supabase.from('${table}').select();`,
    },
    {
      id: 'react',
      name: 'React',
      code: `import { createClient } from '@supabase/supabase-js';
import { useEffect, useState } from 'react';

const supabase = createClient('${url}', '${publishableKey}');

export function Rows() {
  const [rows, setRows] = useState([]);
  useEffect(() => {
    supabase
      .from('${table}')
      .select()
      .then(({ data }) => setRows(data ?? []));
  }, []);
  return <pre>{JSON.stringify(rows, null, 2)}</pre>;
}`,
    },
    {
      id: 'curl',
      name: 'curl',
      code: `curl '${url}/rest/v1/${table}?select=*&limit=10' \\
  -H 'apikey: ${publishableKey}'`,
    },
    { id: 'psql', name: 'psql', code: `psql '${database.url}'` },
  ];
}
