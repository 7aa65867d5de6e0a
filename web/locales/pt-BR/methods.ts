export const messages = {
  'wallet.ethereum': 'Carteira Ethereum',
  'wallet.solana': 'Carteira Solana',
  'wallet.none':
    'Nenhuma carteira encontrada neste navegador. Instale uma e recarregue a página, ou abra esta página no navegador da sua carteira.',

  'join.intro': 'Você vai entrar em {name} como {email}.',
  'join.passkey': 'Criar uma chave de acesso',

  'page.two-step-prove': 'Configure sua segunda etapa',
  'page.two-step-codes': 'Salve seus códigos de recuperação',
  'two-step.progress': 'Etapa {step} de {steps}',
  'two-step.intro': '{name} exige uma segunda etapa no login. Escolha uma.',
  'two-step.totp':
    'Um app no seu celular, como um gerenciador de senhas, mostra um código, mesmo sem internet.',
  'two-step.key': 'Uma chave USB ou NFC, ou o desbloqueio do seu dispositivo por digital ou rosto.',
  'two-step.phone': 'Enviamos um código por SMS a cada vez.',
  'two-step.none':
    'Nenhuma segunda etapa pode ser configurada neste navegador. Abra esta página em outro navegador ou dispositivo.',
  'mfa.again': 'Para alterar suas formas de entrar, confirme que é você.',
  'mfa.unusable':
    'Sua chave de segurança não pode ser usada neste endereço. Use outro navegador ou dispositivo.',
  'mfa.use-totp': 'Usar seu app autenticador ({name})',
  'mfa.use-phone': 'Enviar um código por SMS para {name}',
  'mfa.use-key': 'Usar sua chave de segurança ({name})',
  'page.lost': 'Recupere o acesso à sua conta',
  'lost.open': 'Não consigo usar minha segunda etapa',
  'lost.intro': 'Você ainda pode entrar se perdeu seu celular, app autenticador ou chave de segurança.',
  'lost.no-codes': 'Você não tem códigos de recuperação.',
  'lost.removal':
    'Você pode solicitar a remoção da verificação em duas etapas. Confirme a solicitação no e‑mail que enviaremos para {email} e espere {wait}. Nesse período, o dono da conta pode impedir a remoção.',
  'lost.hours': '{count, plural, one {# hora} many {# de horas} other {# horas}}',
  'lost.minutes': '{count, plural, one {# minuto} many {# de minutos} other {# minutos}}',
  'lost.request': 'Solicitar remoção',
  'lost.requested': 'Enviamos um link para {email}. Abra-o em até uma hora para confirmar a solicitação.',
  'lost.resend': 'Enviar um novo link',
  'lost.waiting':
    'A verificação em duas etapas será removida em {when}. Depois disso, você poderá entrar sem uma segunda etapa. Para mantê-la, entre com sua segunda etapa antes disso.',
  'lost.cancel': 'Cancelar remoção',
  'lost.other-sign-in':
    'Para solicitar a remoção da verificação em duas etapas, entre com sua senha ou um provedor. Você também vai confirmar a solicitação por e‑mail.',
  'lost.recent':
    'Sua senha, seus dados de contato ou suas formas de entrar mudaram recentemente. Por segurança, você poderá solicitar a remoção da verificação em duas etapas {wait} após a última alteração.',
  'lost.support':
    'Peça ao suporte de {name} para redefinir a verificação em duas etapas. Eles vão verificar se a conta é sua.',
  'lost.support-button': 'Obter ajuda',
  'lost.operator':
    'Peça aos responsáveis por {host} para redefinir a verificação em duas etapas. Eles vão verificar se a conta é sua.',
  'lost.back': 'Voltar',
  'mfa.use-recovery': 'Usar um código de recuperação',
  'mfa.phone-intro': 'Vamos enviar um código por SMS para {name}.',
  'mfa.phone-send': 'Enviar código',
  'mfa.phone-sent': 'Enviamos um SMS com um código de {length} dígitos para {name}.',
  'mfa.phone-wrong': 'Código incorreto ou expirado. Confira o código ou peça um novo.',
  'mfa.key-intro': 'Conecte {name} ou aproxime-a do dispositivo e siga as instruções do navegador.',
  'mfa.key-submit': 'Usar chave de segurança',
  'page.recovery-used': 'Substitua sua segunda etapa perdida',
  'recovery-used.text':
    'Você usou um código de recuperação. {left, plural, one {Resta # código.} many {Restam # de códigos.} other {Restam # códigos.}} Remova a segunda etapa que você perdeu e configure uma nova.',
  'recovery-used.replace': 'Ir para sua conta',
  'recovery-used.later': 'Agora não, continuar',
  'mfa.recovery-intro':
    'Digite um dos códigos de recuperação que você salvou. Cada código funciona só uma vez.',
  'mfa.recovery-code': 'Código de recuperação',
  'mfa.recovery-missing': 'Digite um código de recuperação.',
  'mfa.recovery-wrong': 'Código incorreto ou já usado. Confira o código ou digite outro.',

  'factor.intro': 'A verificação em duas etapas protege sua conta mesmo que alguém roube sua senha.',
  'factor.phone': 'Telefone',
  'factor.webauthn': 'Chave de segurança',
  'factor.add-phone': 'Adicionar telefone',
  'factor.add-key': 'Adicionar chave de segurança',
  'factor.key-name': 'Nome da chave',
  'factor.key-hint': 'Escolha um nome que você reconheça depois.',
  'factor.ready':
    'A verificação em duas etapas está ativada. Vamos pedir sua segunda etapa quando você entrar.',
  'factor.removed': 'Segunda etapa removida.',
  'factor.remove-what': 'Remover a segunda etapa {name}',
  'factor.remove-ask': 'Remover a segunda etapa {name}? Ela deixará de funcionar imediatamente.',
  'factor.required': 'Este serviço exige a verificação em duas etapas. Configure-a para continuar no app.',
  'factor.last':
    'Este serviço exige a verificação em duas etapas. Para remover esta segunda etapa, adicione outra primeiro.',

  'recovery.title': 'Códigos de recuperação',
  'recovery.codes': 'códigos de recuperação',
  'recovery.intro':
    'Use um código de recuperação se perder seu celular ou sua chave de segurança. Cada código funciona só uma vez.',
  'recovery.none': 'Nenhum código de recuperação ainda',
  'recovery.left':
    '{remaining, plural, one {Resta # código} many {Restam # de códigos} other {Restam # códigos}} de {total}.',
  'recovery.few': 'Seus códigos estão acabando. Se você gerar novos, os antigos deixarão de funcionar.',
  'recovery.make': 'Gerar códigos de recuperação',
  'recovery.remake': 'Gerar novos códigos',
  'recovery.remake-ask':
    'Substituir seus códigos de recuperação? Os códigos que você salvou deixarão de funcionar.',
  'recovery.replace': 'Substituir meus códigos',
  'recovery.shown-once': 'Guarde estes códigos em um lugar seguro. Eles não serão mostrados novamente.',
  'recovery.download': 'Baixar',
  'recovery.print': 'Imprimir',
  'recovery.last-step':
    'Última etapa: gere códigos de recuperação. Você vai precisar de um se perder seu dispositivo.',
  'recovery.kept': 'Salvei estes códigos',

  'passkey.title': 'Chaves de acesso',
  'passkey.intro': 'Entre com sua digital, seu rosto ou o bloqueio de tela. Você não precisa de senha.',
  'passkey.none': 'Nenhuma chave de acesso ainda',
  'passkey.add': 'Adicionar chave de acesso',
  'passkey.ready': 'Chave de acesso adicionada. Agora você pode entrar com ela.',
  'passkey.unsupported': 'Este navegador não pode criar chaves de acesso neste endereço.',
  'passkey.unnamed': 'Chave de acesso',
  'passkey.used': 'Último uso: {when}',
  'passkey.rename': 'Renomear',
  'passkey.rename-what': 'Renomear {name}',
  'passkey.renamed': 'Renomeada para {name}.',
  'passkey.name': 'Nome',
  'passkey.name-missing': 'Digite um nome.',
  'passkey.save': 'Salvar',
  'passkey.remove-ask': 'Remover {name}? Você não poderá mais entrar com essa chave.',
  'passkey.removed': 'Chave de acesso removida. Exclua-a também no seu dispositivo.',

  'identity.title': 'Contas vinculadas',
  'identity.intro': 'Você pode entrar com qualquer uma destas contas.',
  'identity.link': 'Vincular {name}',
  'identity.linked': '{name} foi vinculado. Agora você pode usá-lo para entrar.',
  'identity.unlink': 'Desvincular',
  'identity.unlink-ask': 'Desvincular {name}? Você não poderá mais usá-lo para entrar.',
  'identity.unlink-ask-address':
    'Desvincular {name}? Você não poderá mais usá-lo para entrar. Você ainda pode entrar com {email}.',
  'identity.unlinked': '{name} foi desvinculado.',
  'identity.last': 'Para desvincular esta conta, vincule outra primeiro.',
  'identity.kept-by-project': 'Este serviço não permite desvincular esta conta.',
  'identity.since': 'Vinculada: {when}',
  'identity.organization': 'Sua organização',
};
