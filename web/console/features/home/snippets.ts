/** Connection snippets for each framework, with the project's address and key. */
import type { Home } from '../../api/types.ts';

export interface Snippet {
  readonly id: 'supabase-js' | 'next' | 'vite-react' | 'flutter' | 'swift' | 'python' | 'curl' | 'psql';
  /** The tool's name, which isn't translated. */
  readonly name: string;
  readonly code: string;
}

export function snippets(home: Home, table: string): readonly Snippet[] {
  return [
    { id: 'supabase-js', name: 'supabase-js', code: supabaseJs(home, table) },
    { id: 'next', name: 'Next.js', code: next(home, table) },
    { id: 'vite-react', name: 'Vite + React', code: viteReact(home, table) },
    { id: 'flutter', name: 'Flutter', code: flutter(home, table) },
    { id: 'swift', name: 'Swift', code: swift(home, table) },
    { id: 'python', name: 'Python', code: python(home, table) },
    { id: 'curl', name: 'curl', code: curl(home, table) },
    { id: 'psql', name: 'psql', code: `psql '${home.database.url}'` },
  ];
}

const supabaseJs = ({ url, publishableKey }: Home, table: string): string =>
  `// npm install @supabase/supabase-js
import { createClient } from '@supabase/supabase-js';

const supabase = createClient(
  '${url}',
  '${publishableKey}',
);

const { data, error } = await supabase.from('${table}').select();`;

const next = ({ url, publishableKey }: Home, table: string): string =>
  `# .env.local
NEXT_PUBLIC_SUPABASE_URL=${url}
NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY=${publishableKey}

// lib/supabase.ts (npm install @supabase/supabase-js @supabase/ssr)
import { createServerClient } from '@supabase/ssr';
import { cookies } from 'next/headers';

export async function createClient() {
  const store = await cookies();
  return createServerClient(
    process.env.NEXT_PUBLIC_SUPABASE_URL!,
    process.env.NEXT_PUBLIC_SUPABASE_PUBLISHABLE_KEY!,
    {
      cookies: {
        getAll: () => store.getAll(),
        // Only actions and route handlers may set cookies.
        setAll(all) {
          try {
            for (const { name, value, options } of all) store.set(name, value, options);
          } catch {}
        },
      },
    },
  );
}

// app/page.tsx
import { createClient } from '../lib/supabase';

export default async function Page() {
  const supabase = await createClient();
  const { data } = await supabase.from('${table}').select();
  return <pre>{JSON.stringify(data, null, 2)}</pre>;
}`;

const viteReact = ({ url, publishableKey }: Home, table: string): string =>
  `# .env.local
VITE_SUPABASE_URL=${url}
VITE_SUPABASE_PUBLISHABLE_KEY=${publishableKey}

// src/app.tsx (npm install @supabase/supabase-js)
import { createClient } from '@supabase/supabase-js';
import { useEffect, useState } from 'react';

const supabase = createClient(
  import.meta.env.VITE_SUPABASE_URL,
  import.meta.env.VITE_SUPABASE_PUBLISHABLE_KEY,
);

export function App() {
  const [rows, setRows] = useState<unknown[]>([]);
  useEffect(() => {
    void supabase
      .from('${table}')
      .select()
      .then(({ data }) => setRows(data ?? []));
  }, []);
  return <pre>{JSON.stringify(rows, null, 2)}</pre>;
}`;

const flutter = ({ url, publishableKey }: Home, table: string): string =>
  `// flutter pub add supabase_flutter
import 'package:supabase_flutter/supabase_flutter.dart';

Future<void> main() async {
  await Supabase.initialize(
    url: '${url}',
    anonKey: '${publishableKey}',
  );
  final rows = await Supabase.instance.client.from('${table}').select();
  print(rows);
}`;

const swift = ({ url, publishableKey }: Home, table: string): string =>
  `// Package: https://github.com/supabase/supabase-swift
import Foundation
import Supabase

let supabase = SupabaseClient(
  supabaseURL: URL(string: "${url}")!,
  supabaseKey: "${publishableKey}"
)

let rows: [[String: AnyJSON]] = try await supabase.from("${table}").select().execute().value`;

const python = ({ url, publishableKey }: Home, table: string): string =>
  `# pip install supabase
from supabase import create_client

supabase = create_client(
    "${url}",
    "${publishableKey}",
)

rows = supabase.table("${table}").select("*").execute().data`;

const curl = ({ url, publishableKey }: Home, table: string): string =>
  `curl '${url}/rest/v1/${encodeURIComponent(table)}?select=*&limit=10' \\
  -H 'apikey: ${publishableKey}'`;
