/** Databases for tests. Most tests only need {@link createTestDatabase}. */
export {
  createTestDatabase,
  openTestDatabase,
  resetTestCluster,
  startTestCluster,
  stopTestCluster,
  type TestCluster,
  type TestDatabase,
  type TestServerAddress,
  testTarget,
} from './testing/test-cluster.ts';
