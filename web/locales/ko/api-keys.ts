/** Korean translations of `en/api-keys.ts`. */
export const messages = {
  'api-key.title': 'API 키',
  'api-key.intro':
    '키가 있으면 스크립트나 프로그램에서 내 데이터에 액세스할 수 있습니다. 키를 가진 사람은 누구나 사용할 수 있으므로 다른 사람에게 알려 주지 마세요.',
  'api-key.none': '아직 API 키가 없습니다',
  'api-key.guest': '게스트는 API 키를 만들 수 없습니다. 먼저 계정을 저장하세요.',
  'api-key.create': 'API 키 만들기',
  'api-key.name': '이름',
  'api-key.name-hint': '예: 키를 사용할 프로그램의 이름',
  'api-key.name-missing': '이름을 입력하세요.',
  'api-key.lifetime': '유효 기간',
  'api-key.scopes': '권한',
  'api-key.submit': '키 만들기',
  'api-key.too-many': 'API 키를 더 만들 수 없습니다. 더 이상 사용하지 않는 키를 폐기하세요.',
  'api-key.shown-once': '이 키를 복사하여 안전한 곳에 저장하세요. 다시 표시되지 않습니다.',
  'api-key.key': 'API 키',
  'api-key.kept': '키를 저장했습니다',
  'api-key.created': '생성: {when}',
  'api-key.expires': '만료 예정: {when}',
  'api-key.expired': '만료됨: {when}',
  'api-key.unused': '아직 사용하지 않음',
  'api-key.revoke': '폐기',
  'api-key.revoke-what': '{name} 키 폐기',
  'api-key.revoke-ask':
    '{name} 키를 폐기할까요? 이 키를 사용하는 프로그램은 몇 초 안에 액세스할 수 없게 됩니다.',
  'api-key.revoked': '{name} 키를 폐기했습니다. 이제 프로그램에서 이 키를 사용할 수 없습니다.',
};
