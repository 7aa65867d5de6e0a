/** TypeScript types of a database for supabase-js, by the generator that upstream uses. */

/** The generator and its client take a moment to load: only here. */
export async function generateTypes(url: string, schemas: readonly string[]): Promise<string> {
  const [{ default: pg }, { introspect }, { generateTypescript, sortGeneratorMetadata }] = await Promise.all([
    import('pg'),
    import('@supabase/postgrest-typegen/introspection'),
    import('@supabase/postgrest-typegen/generation'),
  ]);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  try {
    const metadata = await introspect(pool, { includedSchemas: [...schemas] });
    return await generateTypescript(sortGeneratorMetadata(metadata), { detectOneToOneRelationships: true });
  } finally {
    await pool.end();
  }
}
