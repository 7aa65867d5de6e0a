import { expect, test } from 'vitest';
import { type Call, inDart, inKotlin, inPython, inSwift } from './clients.ts';

const tasks = { schema: undefined, name: 'tasks' } as const;
const update: Call = { ...tasks, kind: 'update', row: { title: 'text', done: true }, key: ['id', 1] };

test('the samples read a table in each language', () => {
  const select: Call = { ...tasks, kind: 'select' };
  expect(inDart(select)).toBe("final data = await supabase\n  .from('tasks')\n  .select()\n  .limit(10);");
  expect(inPython(select)).toBe(
    'response = (\n    supabase\n    .table("tasks")\n    .select("*")\n    .limit(10)\n    .execute()\n)',
  );
  expect(inSwift(select)).toBe(
    'let response = try await supabase\n  .from("tasks")\n  .select()\n  .limit(10)\n  .execute()',
  );
  expect(inKotlin(select)).toBe('val result = supabase.from("tasks").select {\n    limit(10)\n}');
});

test('values have the syntax of the language', () => {
  expect(inDart(update)).toContain(".update({'title': 'text', 'done': true})\n  .eq('id', 1)");
  expect(inPython(update)).toContain('.update({"title": "text", "done": True})\n    .eq("id", 1)');
  expect(inSwift(update)).toContain(
    '.update(["title": "text", "done": true] as [String: AnyJSON])\n  .eq("id", value: 1)',
  );
  expect(inKotlin(update)).toContain(
    'update(buildJsonObject { put("title", "text"); put("done", true) }) {\n    select()\n    filter { eq("id", 1) }\n}',
  );
});

test('a name can’t end its string or start an interpolation', () => {
  const odd: Call = { kind: 'delete', schema: 'a"b', name: `it's $x \\(y) "z"`, key: ['id', ''] };
  expect(inDart(odd)).toContain(`.from('it\\'s \\$x \\\\(y) "z"')`);
  expect(inKotlin(odd)).toContain(`from("a\\"b", "it's \\$x \\\\(y) \\"z\\"")`);
  expect(inSwift({ ...odd, name: 'bell\u0007' })).toContain('.from("bell\\u{0007}")');
  expect(inPython(odd)).toContain(`.schema("a\\"b")`);
});

test('a function is called with its required arguments', () => {
  const call: Call = { kind: 'rpc', schema: 'inner', name: 'add', args: { a: 1, rest: [], data: {} } };
  expect(inDart(call)).toContain(
    ".schema('inner')\n  .rpc('add', params: {'a': 1, 'rest': [], 'data': {}});",
  );
  expect(inPython(call)).toContain('.rpc("add", {"a": 1, "rest": [], "data": {}})');
  expect(inSwift(call)).toContain(
    '.rpc("add", params: ["a": 1, "rest": [], "data": [:]] as [String: AnyJSON])',
  );
  expect(inKotlin(call)).toBe(
    'val result = supabase.postgrest.rpc("add", buildJsonObject { put("a", 1); put("rest", JsonArray(emptyList())); put("data", JsonObject(emptyMap())) }) {\n    schema = "inner"\n}',
  );
  expect(inDart({ ...call, args: {} })).toContain(".rpc('add');");
});
