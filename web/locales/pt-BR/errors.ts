export const messages = {
  // general
  'error.network': 'Não foi possível acessar o servidor. Verifique sua conexão e tente novamente.',
  'error.key-canceled':
    'Nenhuma chave de acesso ou de segurança foi usada. Tente novamente. Se este dispositivo não tem uma chave para este site, escolha outro método.',
  'error.key-not-added':
    'Nenhuma chave foi adicionada. Tente novamente. Se este dispositivo não consegue guardar uma chave para este site, use outro dispositivo.',
  'error.key-known': 'Este dispositivo já tem uma chave de segurança da sua conta. Use essa chave.',
  'error.other': 'Algo deu errado do nosso lado. Tente novamente em instantes.',
  'error.unknown': 'Algo deu errado do nosso lado. Tente novamente em instantes.',
  'error.unexpected_failure': 'Algo deu errado do nosso lado. Tente novamente em instantes.',
  'error.validation_failed': 'Algumas informações são inválidas. Confira o que você digitou.',
  'error.bad_json': 'A solicitação estava incompleta. Tente novamente.',
  'error.conflict': 'Outra pessoa alterou os mesmos dados ao mesmo tempo. Tente novamente.',
  'error.request_timeout': 'A solicitação demorou demais. Tente novamente.',
  'error.request_entity_too_large': 'O texto que você digitou é longo demais. Encurte-o e tente novamente.',
  'error.feature_disabled': 'Este recurso não está disponível aqui. Escolha outra opção.',

  // token, user
  'error.bad_jwt': 'Sua sessão expirou. Entre novamente.',
  'error.not_admin': 'Só administradores podem fazer isso. Peça ajuda a um administrador.',
  'error.no_authorization': 'Você não está conectado. Entre primeiro.',
  'error.not_signed_in': 'Você não está conectado. Entre primeiro.',
  'error.user_not_found': 'Sua sessão expirou. Entre novamente.',
  'error.user_banned': 'Esta conta está bloqueada. Fale com o suporte.',
  'error.session_not_kept':
    'Este navegador não manteve você conectado. Permita cookies para este site e entre novamente.',
  'error.session_not_found': 'Você foi desconectado aqui ou em outro dispositivo. Entre novamente.',
  'error.session_expired': 'Sua sessão expirou. Entre novamente.',
  'error.refresh_token_not_found': 'Sua sessão expirou. Entre novamente.',
  'error.refresh_token_already_used': 'Sua sessão expirou. Entre novamente.',
  'error.unexpected_audience': 'Sua sessão pertence a outro serviço. Entre novamente.',
  'error.invalid_credentials':
    'Senha incorreta, ou esta conta não tem senha. Tente novamente ou receba um código por e‑mail se você costuma entrar de outra forma.',
  'error.insufficient_aal':
    'Esta ação exige uma segunda etapa. Primeiro confirme que é você com seu app autenticador.',

  // sign-up, email, phone
  'error.signup_disabled':
    'Não é possível criar contas novas no momento. Se você já tem uma conta, entre nela.',
  'error.user_already_exists':
    'Você não pode criar uma conta com este e‑mail. Se ele é seu, entre na sua conta.',
  'error.email_exists': 'Este e‑mail não pode ser usado. Digite outro.',
  'error.phone_exists': 'Este número não pode ser usado. Digite outro.',
  'error.email_provider_disabled': 'O login por e‑mail está desativado. Escolha outra forma de entrar.',
  'error.phone_provider_disabled': 'O login por telefone está desativado. Escolha outra forma de entrar.',
  'error.anonymous_provider_disabled': 'As contas de convidado estão desativadas. Entre ou crie uma conta.',
  'error.device_not_confirmed':
    'Você ainda não entrou neste dispositivo. Entre com o código que enviamos por e‑mail.',
  'error.email_not_confirmed':
    'Este e‑mail ainda não foi confirmado. Abra o e‑mail que enviamos ou peça um novo código.',
  'error.phone_not_confirmed': 'Este número de telefone ainda não foi confirmado. Peça um novo código.',
  'error.email_address_not_authorized': 'Ainda não podemos enviar e‑mails para este endereço. Digite outro.',
  'error.email_address_invalid': 'Não podemos enviar e‑mails para este endereço. Confira se há erros.',
  'error.email_address_not_provided':
    'O outro serviço não compartilhou seu e‑mail. Permita que ele compartilhe ou escolha outra forma de entrar.',
  'error.invite_not_found': 'Este convite é inválido ou expirou. Peça um novo.',
  'error.otp_expired':
    'Código incorreto ou expirado. Confira o código ou peça um novo. Depois de cinco tentativas erradas, só um novo código funciona.',
  'error.otp_disabled': 'Não podemos enviar um código. Se você ainda não tem uma conta, crie uma primeiro.',
  'error.sms_send_failed': 'Não foi possível enviar o SMS. Confira o número e tente novamente em instantes.',

  // password
  'error.weak_password': 'Esta senha é fraca demais. Siga os requisitos abaixo.',
  'error.weak_password-leaked': 'Esta senha apareceu em um vazamento de dados. Escolha outra.',
  'error.same_password': 'Esta é sua senha atual. Escolha uma diferente.',
  'error.reauthentication_needed': 'Você entrou há algum tempo. Entre novamente e tente outra vez.',
  'error.reauthentication_not_valid': 'Código incorreto ou expirado. Peça um novo.',
  'error.current_password_invalid': 'Senha atual incorreta. Confira e tente novamente.',
  'error.current_password_required': 'Falta sua senha atual. Digite-a para fazer esta alteração.',

  // limits
  'error.overloaded': 'O servidor está recebendo solicitações demais. Tente novamente em instantes.',
  'error.over_request_rate_limit':
    'Houve tentativas demais, talvez de outra pessoa. Espere antes de tentar novamente ou entre de outra forma, como com um código por e‑mail.',
  'error.over_email_send_rate_limit': 'Acabamos de enviar um e‑mail. Espere um pouco antes de pedir outro.',
  'error.over_sms_send_rate_limit': 'Acabamos de enviar um SMS. Espere um pouco antes de pedir outro.',
  'error.captcha_failed':
    'Não foi possível verificar que você é humano. Recarregue a página e tente novamente.',

  // OAuth, PKCE
  'error.flow_state_not_found': 'Este login expirou. Comece de novo pelo app.',
  'error.flow_state_expired': 'Este login expirou. Comece de novo pelo app.',
  'error.flow_state_already_used': 'Esta solicitação de login já foi usada. Comece de novo pelo app.',
  'error.oauth_client_state_not_found': 'Este login expirou. Comece de novo.',
  'error.oauth_client_state_expired': 'Este login expirou. Comece de novo.',
  'error.oauth_invalid_state': 'Este login foi iniciado em outro navegador. Comece de novo neste navegador.',
  'error.bad_oauth_state': 'Este login foi iniciado em outro navegador. Comece de novo neste navegador.',
  'error.bad_oauth_callback':
    'O outro serviço enviou uma resposta incompleta. Comece de novo ou escolha outra forma de entrar.',
  'error.bad_code_verifier': 'Este login foi iniciado em outro app ou navegador. Comece de novo pelo app.',
  'error.oauth_provider_not_supported': 'Esta forma de entrar não está disponível. Escolha outra.',
  'error.provider_disabled': 'Esta forma de entrar está desativada. Escolha outra.',
  'error.provider_email_needs_verification':
    'O outro serviço não confirmou seu e‑mail. Se enviamos um e‑mail a você, abra-o para confirmar o endereço. Caso contrário, confirme-o no outro serviço e tente novamente.',
  'error.web3_provider_disabled': 'O login com carteira está desativado. Escolha outra forma de entrar.',
  'error.web3_unsupported_chain': 'Carteiras desta rede não são aceitas. Escolha outra carteira.',
  'error.custom_provider_not_found': 'Esta forma de entrar não existe mais. Escolha outra.',
  'error.over_custom_provider_quota':
    'O número máximo de formas de login personalizadas foi atingido. Remova uma antes de adicionar outra.',

  // identities
  'error.identity_not_found': 'Esta conta não está mais vinculada. Recarregue a página.',
  'error.identity_already_exists':
    'Esta conta já está vinculada. Entre com ela para ver a qual usuário pertence.',
  'error.single_identity_not_deletable':
    'Você não pode remover sua única forma de entrar. Adicione outra primeiro.',
  'error.email_conflict_identity_not_deletable':
    'Desvincular esta conta mudaria seu e‑mail para um que outro usuário tem. Primeiro altere seu e‑mail ou desvincule a outra conta.',
  'error.manual_linking_disabled':
    'Você não pode vincular contas aqui. Entre com uma conta que já esteja vinculada.',

  // SSO
  'error.user_sso_managed':
    'Sua organização gerencia esta conta. Peça ao administrador dela para fazer esta alteração.',
  'error.sso_failed':
    'Não foi possível entrar pela sua organização. Tente novamente ou fale com o administrador dela.',
  'error.sso_required': 'Sua organização exige login único para este e‑mail. Entre com SSO.',
  'error.sso_not_allowed': 'Sua organização não permite que esta conta entre. Fale com o administrador dela.',
  'error.sso_provider_not_found':
    'O login único não está configurado para este domínio. Confira o domínio ou escolha outra forma de entrar.',
  'error.sso_provider_disabled':
    'O login único da sua organização está desativado. Fale com o administrador da sua organização.',
  'error.sso_domain_already_exists': 'Este domínio já tem login único. Escolha outro domínio.',
  'error.saml_provider_disabled': 'O login único está desativado. Escolha outra forma de entrar.',
  'error.saml_relay_state_not_found': 'Este login expirou. Comece de novo.',
  'error.saml_relay_state_expired': 'Este login expirou. Comece de novo.',
  'error.saml_idp_not_found':
    'Sua organização não está conectada a este serviço. Fale com o administrador da sua organização.',
  'error.saml_idp_already_exists': 'Esta organização já está conectada. Altere a conexão existente.',
  'error.saml_assertion_no_user_id':
    'Sua organização não enviou um ID de usuário. Fale com o administrador dela.',
  'error.saml_assertion_no_email': 'Sua organização não enviou seu e‑mail. Fale com o administrador dela.',
  'error.saml_metadata_fetch_failed':
    'Não foi possível acessar o serviço de login único da sua organização. Tente mais tarde.',
  'error.saml_entity_id_mismatch':
    'A resposta não veio do serviço de login configurado para sua organização. Fale com o administrador da sua organização.',

  // MFA
  'error.too_many_enrolled_mfa_factors':
    'Você atingiu o número máximo de segundas etapas. Remova uma antes de adicionar outra.',
  'error.mfa_factor_name_conflict': 'Você já tem um autenticador com este nome. Escolha outro nome.',
  'error.mfa_factor_not_found': 'Este autenticador não existe mais. Recarregue a página.',
  'error.mfa_ip_address_mismatch': 'Sua rede mudou. Digite o código que o app mostra agora.',
  'error.mfa_challenge_expired': 'A solicitação expirou. Digite o código que o app mostra agora.',
  'error.mfa_verification_failed': 'Código incorreto. Digite o código que o app mostra agora.',
  'error.mfa_verification_rejected': 'O código foi recusado. Entre novamente.',
  'error.mfa_verified_factor_exists':
    'Já existe uma segunda etapa deste tipo. Remova-a antes de configurar outra.',
  'error.mfa_phone_enroll_not_enabled':
    'Telefones não podem ser adicionados como segunda etapa aqui. Escolha outra segunda etapa.',
  'error.mfa_phone_verify_not_enabled':
    'Telefones não podem ser usados como segunda etapa aqui. Escolha outra segunda etapa.',
  'error.mfa_totp_enroll_not_enabled':
    'Apps autenticadores não podem ser adicionados aqui. Escolha outra segunda etapa.',
  'error.mfa_totp_verify_not_enabled':
    'Apps autenticadores não podem ser usados aqui. Escolha outra segunda etapa.',
  'error.mfa_webauthn_enroll_not_enabled':
    'Chaves de segurança não podem ser adicionadas aqui. Escolha outra segunda etapa.',
  'error.mfa_webauthn_verify_not_enabled':
    'Chaves de segurança não podem ser usadas aqui. Escolha outra segunda etapa.',

  // passkeys
  'error.passkey_disabled': 'As chaves de acesso estão desativadas. Escolha outra forma de entrar.',
  'error.too_many_passkeys':
    'Você atingiu o número máximo de chaves de acesso. Remova uma antes de adicionar outra.',
  'error.webauthn_credential_not_found':
    'Esta chave de acesso não pode ser usada aqui. Escolha outra forma de entrar.',
  'error.webauthn_credential_exists':
    'Este dispositivo já tem uma chave de acesso da sua conta. Use essa chave de acesso.',
  'error.webauthn_challenge_not_found': 'Esta solicitação já foi usada. Tente novamente.',
  'error.webauthn_challenge_expired': 'A solicitação expirou. Tente novamente.',
  'error.webauthn_verification_failed':
    'Não foi possível verificar a chave de acesso. Tente novamente ou escolha outro método.',

  // OAuth server
  'error.oauth_client_not_found': 'Este app não está mais registrado aqui. Fale com o suporte do app.',
  'error.oauth_authorization_not_found':
    'Esta solicitação expirou ou pertence a outra conta. Volte ao app e comece de novo.',
  'error.oauth_consent_not_found': 'Este app não tem mais acesso. Recarregue a página.',
  'error.oauth_dynamic_client_registration_disabled':
    'Apps não podem se registrar sozinhos aqui. Fale com o suporte.',

  // hooks
  'error.hook_timeout': 'Uma verificação obrigatória demorou demais. Tente novamente.',
  'error.hook_timeout_after_retry': 'Uma verificação obrigatória demorou demais. Tente novamente.',
  'error.hook_payload_over_size_limit':
    'Não foi possível concluir uma verificação obrigatória. Fale com o suporte.',
  'error.hook_payload_invalid_content_type':
    'Não foi possível concluir uma verificação obrigatória. Fale com o suporte.',

  // /account/api
  'error.factor_required':
    'Este serviço exige a verificação em duas etapas. Para configurá-la, abra sua conta em um navegador com JavaScript ativado.',
  'error.access_denied':
    'Você cancelou o login no outro serviço. Tente novamente ou escolha outra forma de entrar.',
  'error.redirect_not_allowed':
    'Você entrou, mas o endereço do app não é permitido aqui. Fale com o suporte do app.',
  'error.pkce_required': 'A solicitação de login do app está incompleta. Fale com o suporte do app.',
  'error.bad_code_challenge': 'A solicitação de login do app está incompleta. Fale com o suporte do app.',
  'error.not_same_origin': 'A solicitação não veio desta página. Recarregue a página e tente novamente.',
  'error.wallet-refused':
    'A carteira não assinou a solicitação. Tente novamente ou escolha outra forma de entrar.',
  'error.wallet_refused':
    'A assinatura da carteira não foi aceita. Tente novamente ou escolha outra forma de entrar.',
  'error.not_a_guest': 'Você não está usando uma conta de convidado. Recarregue a página.',
  'error.hand_over_off':
    'Seus dados de convidado não podem ser movidos para esta conta. Entre sem eles ou use outro e‑mail.',
  'error.hand_over_failed':
    'Não foi possível mover seus dados de convidado, e nada foi alterado. Tente novamente ou volte à conta de convidado.',
  'error.guest_gone': 'A conta de convidado não existe mais. Continue com sua conta.',
  'error.sign_in_stale': 'Você entrou há algum tempo. Entre novamente para mover seus dados de convidado.',
  'error.consent_answered': 'Você já respondeu a esta solicitação. Volte ao app.',

  // the session module
  'error.jwks_empty': 'O servidor não consegue verificar sua sessão agora. Tente mais tarde.',
  'error.no_matching_key': 'As chaves de assinatura do servidor mudaram. Recarregue a página.',
  'error.bad_signature': 'Não foi possível verificar sua sessão. Entre novamente.',
  'error.expired': 'Sua sessão expirou. Se você acabou de entrar, confira o relógio deste dispositivo.',
  'error.missing_exp': 'Não foi possível verificar sua sessão. Entre novamente.',
  'error.bad_algorithm': 'Não foi possível verificar sua sessão. Entre novamente.',
  'error.url_and_key_required': 'A configuração desta página está incompleta. Fale com o suporte.',

  // organizations, whose functions belong to the project
  'error.account_required': 'Convidados não podem usar organizações. Salve sua conta ou entre primeiro.',
  'error.already_member': 'Esta conta já é membro. Nada foi alterado.',
  'error.invalid_input': 'Algumas informações são inválidas. Confira o que você digitou.',
  'error.invitation_expired': 'Este convite expirou. Peça outro.',
  'error.invitation_for_other_email': 'Este convite é para outro e‑mail. Entre com esse e‑mail e confirme-o.',
  'error.invitation_not_found': 'Este convite não existe mais. Peça outro.',
  'error.invitation_used': 'Este convite já foi usado. Peça outro.',
  'error.last_owner':
    'Uma organização precisa de um proprietário. Primeiro torne outro membro proprietário ou exclua a organização.',
  'error.limit_reached': 'O limite foi atingido. Exclua o que não precisa mais e tente novamente.',
  'error.member_not_found': 'Esta pessoa não é mais membro. Recarregue a página.',
  'error.not_allowed': 'Sua função não permite isso. Peça ajuda a um proprietário.',
  'error.organization_not_found':
    'Nenhuma organização assim foi encontrada. Confira o que você digitou e pergunte a um membro se a organização aceita solicitações.',
  'error.request_not_found': 'Esta solicitação já foi respondida ou retirada. Recarregue a página.',
  'error.role_not_found': 'Esta função não existe mais. Recarregue a página.',
  'error.role_in_use': 'Alguns membros ou convites têm esta função. Dê outra função a eles primeiro.',
  'error.role_taken': 'Outra função tem um nome parecido. Escolha um nome diferente.',
  'error.session_required': 'Sua sessão expirou. Entre novamente.',
  'error.slug_taken': 'Outra organização usa este nome curto. Escolha um diferente.',
};
