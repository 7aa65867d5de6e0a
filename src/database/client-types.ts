/** Generates a database's types for client code, with the generator that upstream uses. */
import { withComputedFields } from './computed-fields.ts';

export const typeLanguages = ['typescript', 'go', 'python', 'swift'] as const;
export type TypeLanguage = (typeof typeLanguages)[number];

export interface TypesOptions {
  readonly language?: TypeLanguage;
  readonly swiftAccess?: 'internal' | 'public';
}

/** The generator and its client are loaded on demand, because loading them is slow. */
export async function generateTypes(
  url: string,
  schemas: readonly string[],
  { language = 'typescript', swiftAccess = 'internal' }: TypesOptions = {},
): Promise<string> {
  const [{ default: pg }, { introspect }, generators] = await Promise.all([
    import('pg'),
    import('@supabase/postgrest-typegen/introspection'),
    import('@supabase/postgrest-typegen/generation'),
  ]);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  try {
    const metadata = generators.sortGeneratorMetadata(
      await introspect(pool, { includedSchemas: [...schemas] }),
    );
    if (language === 'go') return generators.generateGo(metadata);
    if (language === 'python') return generators.generatePython(metadata);
    if (language === 'swift') return generators.generateSwift(metadata, { accessControl: swiftAccess });
    const types = await generators.generateTypescript(metadata, { detectOneToOneRelationships: true });
    return withComputedFields(types, metadata.columns);
  } finally {
    await pool.end();
  }
}
