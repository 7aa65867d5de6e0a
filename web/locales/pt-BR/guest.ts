export const messages = {
  'guest.intro':
    'Você não precisa de uma conta. Você pode acessar seus dados neste navegador até sair. Para mantê-los depois disso, adicione uma forma de entrar.',
  'guest.off': 'As contas de convidado estão desativadas. Entre ou crie uma conta.',

  'guest.leave-title': 'Sair da sua conta de convidado?',
  'guest.leave-text':
    'Não é possível entrar de novo em uma conta de convidado. Se você sair, perderá tudo o que tem aqui.',
  'guest.leave': 'Sair e perder meus dados',
  'guest.leave-cancel': 'Cancelar',

  'upgrade.intro':
    'Você está usando uma conta de convidado. Escolha como vai entrar. Você manterá tudo o que tem aqui.',
  'upgrade.submit': 'Salvar minha conta',
  'upgrade.by-code': 'Receber um código por e‑mail',
  'upgrade.none': 'Contas de convidado não podem ser salvas aqui. Fale com o suporte.',
  'upgrade.sent':
    'Enviamos um código de {length} dígitos para {email}. Digite-o aqui ou abra o link do e‑mail. Até lá, você continua como convidado.',
  'upgrade.if-yours': 'Se este e‑mail é seu, entre na sua conta abaixo.',
  'upgrade.taken': 'Outra conta daqui já usa esse e‑mail. Se ela é sua, entre nela abaixo.',
  'upgrade.have': 'Já tem uma conta?',
  'upgrade.with-hook':
    'Entre nela e mova seus dados de convidado para lá. Vamos perguntar antes de mover qualquer coisa.',
  'upgrade.without-hook':
    'Seus dados de convidado não podem ser movidos para outra conta. Se você entrar em outra conta, perderá o acesso a eles.',
  'upgrade.elsewhere': 'Entrar na minha conta',
  'upgrade.leave': 'Entrar sem seus dados de convidado',
  'upgrade.done': 'Seus dados não mudaram. A partir de agora, entre com {who}.',
  'upgrade.done-linked': 'Seus dados não mudaram. Agora você pode entrar novamente quando quiser.',
  'upgrade.member':
    'Você entrou como {who}. Esta não é uma conta de convidado, então não é preciso salvá-la.',
  'upgrade.change': 'Usar outro e‑mail',
  'page.upgrade-member': 'Sua conta já está salva',
  'page.upgrade-done': 'Conta salva',

  'page.hand-over': 'Mover seus dados de convidado?',
  'hand-over.text':
    'Você entrou como {who}. Se mover seus dados de convidado para esta conta, a conta de convidado será excluída.',
  'hand-over.submit': 'Mover dados de convidado',
  'hand-over.leave': 'Descartar dados de convidado',
  'hand-over.leave-hint': 'Se descartar seus dados de convidado, você não poderá mais acessá-los.',
  'hand-over.back': 'Voltar à conta de convidado',
  'hand-over.fresh': 'Entrar novamente',
  'hand-over.sign-in': 'Entre na conta para a qual você quer mover seus dados de convidado.',
  'page.hand-over-done': 'Dados de convidado movidos',
  'hand-over.done': 'Seus dados de convidado agora pertencem a {who}.',

  'still-in.text': 'O app desconectou você. Neste navegador, você continua conectado à sua conta como {who}.',
  'still-in.guest':
    'O app desconectou você. Neste navegador, você continua conectado como convidado. Se sair aqui, perderá o acesso à conta de convidado.',
  'still-in.submit': 'Sair da sua conta',
  'still-in.others': 'Você também está conectado como {accounts}.',
  'signed-out.all-accounts': 'Sair de todas as contas',
  'signed-out.kept':
    'A página de login deste navegador ainda mostra {accounts}. Em um computador compartilhado, remova seu e‑mail aqui.',
  'signed-out.forget': 'Remover deste navegador',
  'signed-out.forgotten': 'Removido deste navegador.',
  'signed-out.choose': 'Escolha uma conta',
  'still-in.back': 'Voltar para {host}',
};
