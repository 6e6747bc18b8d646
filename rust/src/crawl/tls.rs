//! TLS as a crawler needs it: an archive wants the page, whoever vouches for the host.

use super::config::Config;
use super::fetcher::Wire;
use super::steering::name_of;
use super::{CrawlError, Result};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring::default_provider;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, ProtocolVersion, RootCertStore,
    SignatureScheme,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use tokio_rustls::TlsConnector;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Believes every certificate, but not that somebody without its key has it.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

type Signed = std::result::Result<HandshakeSignatureValid, rustls::Error>;

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Signed {
        verify_tls12_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Signed {
        verify_tls13_signature(
            message,
            cert,
            dss,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

pub fn connector(config: &Config) -> Result<TlsConnector> {
    let provider = Arc::new(default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| CrawlError::Internal(format!("TLS cannot be set up ({error})")))?;
    let mut client = if config.limits.accept_all_certificates {
        let verifier = Arc::new(AnyCertificate(provider));
        builder
            .dangerous()
            .with_custom_certificate_verifier(verifier)
            .with_no_client_auth()
    } else {
        builder
            .with_root_certificates(roots(config)?)
            .with_no_client_auth()
    };
    client.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(client)))
}

/// Those of browsers, and those of the user.
fn roots(config: &Config) -> Result<RootCertStore> {
    let explain = |error: &dyn std::fmt::Display| {
        CrawlError::Setting(format!(
            "authority: {error}; expected certificates in PEM format"
        ))
    };
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.into(),
    };
    for certificate in
        CertificateDer::pem_slice_iter(config.authority.as_deref().unwrap_or("").as_bytes())
    {
        let certificate = certificate.map_err(|error| explain(&error))?;
        roots.add(certificate).map_err(|error| explain(&error))?;
    }
    Ok(roots)
}

/// Tells of each certificate whether somebody vouches for it, also where every certificate is believed.
pub struct Vouchers {
    verifier: Option<Arc<WebPkiServerVerifier>>,
    /// verdicts by certificate and name: a host shows the same one for each page
    known: RefCell<HashMap<u64, Arc<str>>>,
    verified: Arc<str>,
}

/// Verdicts that are kept.
const MANY: usize = 4096;

impl Vouchers {
    pub fn new(config: &Config) -> Result<Self> {
        // where the handshake has verified it already, there is nothing to ask
        let verifier = match config.limits.accept_all_certificates {
            false => None,
            true => {
                let builder = WebPkiServerVerifier::builder_with_provider(
                    Arc::new(roots(config)?),
                    Arc::new(default_provider()),
                );
                let made = builder.build();
                Some(made.map_err(|error| {
                    CrawlError::Internal(format!("certificates cannot be verified ({error})"))
                })?)
            }
        };
        Ok(Self {
            verifier,
            known: RefCell::default(),
            verified: "verified".into(),
        })
    }

    /// `verified`, or why not.
    pub fn judge(&self, connection: &ClientConnection, name: &ServerName<'_>) -> Arc<str> {
        let Some(verifier) = &self.verifier else {
            return self.verified.clone();
        };
        let Some([own, others @ ..]) = connection.peer_certificates() else {
            return "there is none".into();
        };
        let key = xxh3_64_with_seed(own, xxh3_64(name.to_str().as_bytes()));
        let mut known = self.known.borrow_mut();
        if known.len() >= MANY {
            known.clear();
        }
        let verdict = known.entry(key).or_insert_with(|| {
            let told = verifier.verify_server_cert(own, others, name, &[], UnixTime::now());
            told.map_or_else(|error| error.to_string().into(), |_| self.verified.clone())
        });
        verdict.clone()
    }
}

/// The name that the certificate should be for.
pub fn server_name(origin: &str, address: IpAddr) -> ServerName<'static> {
    let name = name_of(origin).to_owned();
    ServerName::try_from(name).unwrap_or(ServerName::IpAddress(address.into()))
}

pub fn describe(connection: &ClientConnection) -> Wire {
    let version = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_3) => "tls/1.3",
        _ => "tls/1.2",
    };
    let suite = connection.negotiated_cipher_suite();
    Wire {
        protocols: vec!["http/1.1", version],
        certificate: None,
        cipher: suite.and_then(|suite| Some(suite.suite().as_str()?.replace("TLS13_", "TLS_"))),
    }
}
