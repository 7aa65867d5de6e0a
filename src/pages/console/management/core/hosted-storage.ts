/** The fields of the hosted service's storage configuration, with the corresponding settings in config.toml. */
import { at, flag, type HostedSetting, number } from './hosted-formats.ts';

export const storageFields: Readonly<Record<string, HostedSetting>> = {
  fileSizeLimit: at('storage.file_size_limit', number),
  'features.imageTransformation.enabled': at('storage.image_transformation.enabled', flag),
  'features.s3Protocol.enabled': at('storage.s3_protocol.enabled', flag),
  'features.icebergCatalog.enabled': at('storage.analytics.enabled', flag),
  'features.icebergCatalog.maxNamespaces': at('storage.analytics.max_namespaces', number),
  'features.icebergCatalog.maxTables': at('storage.analytics.max_tables', number),
  'features.icebergCatalog.maxCatalogs': at('storage.analytics.max_catalogs', number),
  'features.vectorBuckets.enabled': at('storage.vector.enabled', flag),
  'features.vectorBuckets.maxBuckets': at('storage.vector.max_buckets', number),
  'features.vectorBuckets.maxIndexes': at('storage.vector.max_indexes', number),
};
