import { StyleSheet } from 'react-native';

export const styles = StyleSheet.create({
  screen: { flex: 1, paddingTop: 64, paddingHorizontal: 16 },
  title: { fontSize: 28, fontWeight: 'bold', marginBottom: 16 },
  form: { gap: 12, marginVertical: 12 },
  input: { borderWidth: 1, borderColor: '#888', borderRadius: 4, padding: 10 },
  message: { minHeight: 20, color: '#a40000' },
  note: { gap: 8, paddingVertical: 12, borderTopWidth: 1, borderTopColor: '#ddd' },
  image: { width: '100%', height: 200, resizeMode: 'contain' },
});
