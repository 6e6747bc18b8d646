//! TLS for hosts that do not exist: an authority of our own, and a certificate for whatever name is asked.

use super::InvitroError;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::crypto::ring::{default_provider, sign::any_ecdsa_type};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::{CertifiedKey, SigningKey};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use tokio_rustls::TlsAcceptor;

/// Certificates kept; all hosts share one key, so that making another is one signature.
const KEPT: usize = 1024;

/// A certificate authority that vouches for every name.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    host_key: KeyPair,
    signing_key: Arc<dyn SigningKey>,
    made: Mutex<HashMap<String, Arc<CertifiedKey>>>,
}

impl fmt::Debug for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authority")
    }
}

impl Authority {
    pub fn new() -> Result<Self, InvitroError> {
        let make = || -> Result<Self, rcgen::Error> {
            let mut params = CertificateParams::default();
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
            params
                .distinguished_name
                .push(DnType::CommonName, "webstrata in-vitro authority");
            let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
            let host_key = KeyPair::generate()?;
            let der = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(host_key.serialize_der()));
            let signing_key =
                any_ecdsa_type(&der).map_err(|_| rcgen::Error::KeyGenerationUnavailable)?;
            Ok(Self {
                issuer,
                host_key,
                signing_key,
                made: Mutex::default(),
            })
        };
        make().map_err(|error| {
            InvitroError::Internal(format!("no certificate authority could be made: {error}"))
        })
    }

    /// The certificate to be trusted by clients, as PEM.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// A certificate for one name, from the shelf or made now.
    fn certificate(&self, name: &str) -> Option<Arc<CertifiedKey>> {
        let mut made = self
            .made
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = made.get(name) {
            return Some(Arc::clone(known));
        }
        let mut params = CertificateParams::new(vec![name.to_owned()]).ok()?;
        params.distinguished_name.push(DnType::CommonName, name);
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(&self.host_key, &self.issuer).ok()?;
        let key = Arc::new(CertifiedKey::new(
            vec![certificate.der().clone()],
            Arc::clone(&self.signing_key),
        ));
        if made.len() >= KEPT {
            made.clear();
        }
        made.insert(name.to_owned(), Arc::clone(&key));
        Some(key)
    }
}

/// Answers each handshake with a certificate for the name it asks for.
#[derive(Debug)]
struct ByName(Arc<Authority>);

impl ResolvesServerCert for ByName {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.0
            .certificate(hello.server_name().unwrap_or("localhost"))
    }
}

/// What turns a connection into one with TLS.
pub fn acceptor(authority: Arc<Authority>) -> Result<TlsAcceptor, InvitroError> {
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| InvitroError::Internal(format!("no TLS: {error}")))?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(ByName(authority)));
    Ok(TlsAcceptor::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shelf_of_certificates_stays_small() {
        let authority = Authority::new().unwrap();
        for number in 0..KEPT + 10 {
            authority
                .certificate(&format!("host{number}.test"))
                .unwrap();
        }
        assert!(authority.made.lock().unwrap().len() <= KEPT);
        assert!(authority.pem().starts_with("-----BEGIN CERTIFICATE-----"));
    }
}
