export const messages = {
  'guest.intro':
    '계정이 필요하지 않습니다. 로그아웃할 때까지 이 브라우저에서 데이터를 사용할 수 있습니다. 그 후에도 데이터를 유지하려면 로그인 방법을 추가하세요.',
  'guest.off': '게스트 계정을 사용할 수 없습니다. 로그인하거나 계정을 만드세요.',

  'guest.leave-title': '게스트 계정에서 로그아웃할까요?',
  'guest.leave-text':
    '게스트 계정에는 다시 로그인할 수 없습니다. 로그아웃하면 여기에 있는 모든 것이 사라집니다.',
  'guest.leave': '로그아웃하고 데이터 버리기',
  'guest.leave-cancel': '취소',

  'upgrade.intro': '게스트 계정을 사용 중입니다. 로그인 방법을 선택하세요. 여기에 있는 모든 것이 유지됩니다.',
  'upgrade.submit': '내 계정 저장',
  'upgrade.by-code': '이메일로 코드 받기',
  'upgrade.none': '여기서는 게스트 계정을 저장할 수 없습니다. 고객 지원팀에 문의하세요.',
  'upgrade.sent':
    '{email}(으)로 {length}자리 코드를 보냈습니다. 여기에 입력하거나 이메일의 링크를 여세요. 그때까지는 계속 게스트입니다.',
  'upgrade.if-yours': '본인의 주소라면 아래에서 계정에 로그인하세요.',
  'upgrade.taken':
    '이 이메일 주소를 사용하는 다른 계정이 이미 있습니다. 본인의 계정이라면 아래에서 로그인하세요.',
  'upgrade.have': '이미 계정이 있으신가요?',
  'upgrade.with-hook': '그 계정에 로그인하고 게스트 데이터를 옮기세요. 옮기기 전에 먼저 확인합니다.',
  'upgrade.without-hook':
    '게스트 데이터를 다른 계정으로 옮길 수 없습니다. 다른 계정에 로그인하면 게스트 데이터에 더 이상 액세스할 수 없습니다.',
  'upgrade.elsewhere': '내 계정에 로그인',
  'upgrade.leave': '게스트 데이터 없이 로그인',
  'upgrade.done': '데이터는 그대로입니다. 이제부터 {who}(으)로 로그인하세요.',
  'upgrade.done-linked': '데이터는 그대로입니다. 이제 언제든지 다시 로그인할 수 있습니다.',
  'upgrade.member': '{who}(으)로 로그인되어 있습니다. 게스트 계정이 아니므로 저장할 필요가 없습니다.',
  'upgrade.change': '다른 주소 사용',
  'page.upgrade-member': '계정이 이미 저장되어 있습니다',
  'page.upgrade-done': '계정이 저장되었습니다',

  'page.hand-over': '게스트 데이터를 옮길까요?',
  'hand-over.text':
    '{who}(으)로 로그인되어 있습니다. 게스트 데이터를 이 계정으로 옮기면 게스트 계정은 삭제됩니다.',
  'hand-over.submit': '게스트 데이터 옮기기',
  'hand-over.leave': '게스트 데이터 버리기',
  'hand-over.leave-hint': '게스트 데이터를 버리면 더 이상 액세스할 수 없습니다.',
  'hand-over.back': '게스트 계정으로 돌아가기',
  'hand-over.fresh': '다시 로그인',
  'hand-over.sign-in': '게스트 데이터를 옮길 계정에 로그인하세요.',
  'page.hand-over-done': '게스트 데이터를 옮겼습니다',
  'hand-over.done': '게스트 데이터가 이제 {who}에 속합니다.',

  'still-in.text': '앱에서 로그아웃되었습니다. 이 브라우저에서 아직 {who}(으)로 계정에 로그인되어 있습니다.',
  'still-in.guest':
    '앱에서 로그아웃되었습니다. 이 브라우저에서 아직 게스트로 로그인되어 있습니다. 여기서 로그아웃하면 게스트 계정에 더 이상 액세스할 수 없습니다.',
  'still-in.submit': '계정에서 로그아웃',
  'still-in.others': '{accounts}(으)로도 로그인되어 있습니다.',
  'signed-out.all-accounts': '모든 계정에서 로그아웃',
  'signed-out.kept':
    '이 브라우저의 로그인 페이지에 아직 {accounts}이(가) 표시됩니다. 공용 컴퓨터라면 여기서 주소를 삭제하세요.',
  'signed-out.forget': '이 브라우저에서 삭제',
  'signed-out.forgotten': '이 브라우저에서 삭제했습니다.',
  'signed-out.choose': '계정 선택',
  'still-in.back': '{host}(으)로 돌아가기',
};
