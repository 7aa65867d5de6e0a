/** How a table is read by supabase-js, curl and SQL. Pure. */

export interface Snippet {
  readonly label: string;
  readonly text: string;
}

/** What stands in single quotes of JavaScript, or in SQL's double ones. */
const inQuotes = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** @example readSnippets('tasks', 'http://127.0.0.1:54321', 'sb_publishable_x')[0].text */
export function readSnippets(table: string, url: string, key: string): Snippet[] {
  return [
    {
      label: 'supabase-js',
      text: `const { data, error } = await supabase\n  .from('${inQuotes(table)}')\n  .select('*')\n  .limit(10);`,
    },
    {
      label: 'curl',
      text: `curl '${url}/rest/v1/${encodeURIComponent(table).replaceAll("'", '%27')}?select=*&limit=10' \\\n  -H 'apikey: ${key}'`,
    },
    { label: 'SQL', text: `select * from public.${identifier(table)} limit 10;` },
  ];
}
