// biome-ignore lint/suspicious/noExplicitAny: replaced by the type derived from the schema
export type Config = any;
