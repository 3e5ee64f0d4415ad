//! Checks of all requests, and the security headers of all answers.
//!
//! Three kinds of foreign requests are refused: those whose `Host` is not this server's (another
//! site's name may resolve to this machine: DNS rebinding), those that a browser makes for pages of
//! other sites, and those without the token, if there is one. Pages of origins that are allowed may
//! use the interface as programs do: with the token, never by a cookie.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::App;
use super::origins::{self, Origin};
use super::refusal::Refusal;
use super::token::Token;

/// Security headers of every answer: pages of this server load nothing from elsewhere and cannot be
/// embedded in other pages.
const HEADERS: [(HeaderName, &str); 4] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         object-src 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// The usual addresses of this machine for itself.
const LOCAL: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// Refuses foreign requests, and adds the security headers to all answers.
pub(super) async fn guard(
    State(app): State<Arc<App>>,
    request: Request<Body>,
    next: Next,
) -> Response {
    let origin = app.guard.allowed(&request).cloned();
    let mut response = match app.guard.check(&request) {
        Ok(None) => next.run(request).await,
        Ok(Some(response)) => response,
        Err(refusal) => refusal.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Some(origin) = origin {
        origins::open(&mut response, &origin);
    }
    response
}

/// Who may use the server.
pub(super) struct Guard {
    /// The address that the server listens on.
    host: IpAddr,
    token: Option<Token>,
    /// The name of the cookie with the token. Cookies are the same for all ports of a host.
    cookie: String,
    /// The origins of pages elsewhere that may use the interface.
    origins: Vec<Origin>,
}

impl Guard {
    pub(super) fn new(host: IpAddr, port: u16, token: Option<Token>, origins: Vec<Origin>) -> Self {
        Self { host, token, cookie: format!("tavoliere_{port}"), origins }
    }

    /// The origin of a request from a page elsewhere that may use the interface.
    fn allowed(&self, request: &Request<Body>) -> Option<&Origin> {
        let is_interface = request.uri().path().starts_with("/api/");
        origins::allowed(&self.origins, request.headers()).filter(|_| is_interface)
    }

    /// Checks a request. Returns the answer if it is one with the link that has the token, or a
    /// browser's question of what an allowed page may send, which never has the token.
    fn check(&self, request: &Request<Body>) -> Result<Option<Response>, Refusal> {
        let (headers, uri) = (request.headers(), request.uri());
        // A request with the token is meant for this server, by whatever name.
        if self.token.is_none() {
            self.check_host(headers)?;
        }
        match self.allowed(request) {
            Some(_) if origins::is_preflight(request.method(), headers) => {
                return Ok(Some(origins::preflight()));
            }
            Some(_) => {}
            None => {
                check_origin(headers)?;
                check_site(request.method(), uri, headers)?;
            }
        }
        match &self.token {
            Some(token) => self.check_token(token, uri, headers),
            None => Ok(None),
        }
    }

    /// Checks the header `Host`. Names are refused, since anybody may have a name that leads to
    /// this address; an address is what it says.
    fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let name = without_port(host(headers));
        let address: Option<IpAddr> = match name.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']').and_then(|address| address.parse().ok()),
            None => name.parse().ok().filter(IpAddr::is_ipv4),
        };
        let (is_local, is_any) = (self.host.is_loopback(), self.host.is_unspecified());
        let is_own = match address {
            Some(address) => is_any || address == self.host || is_local && LOCAL.contains(&address),
            None => (is_any || is_local) && name == "localhost",
        };
        if is_own { Ok(()) } else { Err(forbidden(self.hosts())) }
    }

    /// Says which hosts are accepted.
    fn hosts(&self) -> String {
        let own = match self.host {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        };
        match self.host {
            host if LOCAL.contains(&host) => {
                "this server accepts only the hosts localhost, 127.0.0.1 and [::1]".to_owned()
            }
            host if host.is_loopback() => {
                format!("this server accepts only the hosts localhost, 127.0.0.1, [::1] and {own}")
            }
            host if host.is_unspecified() => "this server accepts only IP addresses and localhost \
                as host; with --token it accepts all names"
                .to_owned(),
            _ => format!(
                "this server accepts only the host {own}; with --token it accepts all names"
            ),
        }
    }

    /// Checks the token, which all paths need but those of the page, which has no secrets.
    fn check_token(
        &self,
        token: &Token,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Option<Response>, Refusal> {
        let link = uri.query().unwrap_or_default().split('&');
        let given = link.filter_map(|field| field.strip_prefix("token=")).next();
        let is_page = uri.path() == "/" || uri.path().starts_with("/assets/");
        match given {
            Some(given) if uri.path() == "/" => {
                if token.is(given) {
                    Ok(Some(self.enter(token)))
                } else {
                    Err(unknown())
                }
            }
            _ if is_page || self.tokens(headers).any(|given| token.is(given)) => Ok(None),
            _ => Err(unknown()),
        }
    }

    /// The tokens that a request has in its headers.
    fn tokens<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> {
        let text = |value: &'a HeaderValue| value.to_str().ok();
        let bearer = headers.get(header::AUTHORIZATION).and_then(text).and_then(|credentials| {
            let (scheme, token) = credentials.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
        });
        let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(text);
        let cookies = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| {
            let (name, value) = cookie.trim().split_once('=')?;
            (name == self.cookie).then_some(value)
        });
        bearer.into_iter().chain(cookies)
    }

    /// Gives the browser the token as a cookie, and leads it to the page: the address that it shows
    /// and remembers has no token.
    fn enter(&self, token: &Token) -> Response {
        // Relative to where the browser finds this server, which may be a folder of a proxy. Without a
        // path the cookie is for that folder.
        let cookie = format!("{}={}; HttpOnly; SameSite=Strict", self.cookie, token.text());
        let headers = [
            (header::SET_COOKIE, cookie),
            (header::LOCATION, "./".to_owned()),
            (header::CACHE_CONTROL, "no-store".to_owned()),
        ];
        (StatusCode::SEE_OTHER, headers).into_response()
    }
}

/// Checks that an `Origin` is the server itself.
fn check_origin(headers: &HeaderMap) -> Result<(), Refusal> {
    let is_own = |origin: &HeaderValue| {
        let from = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
        from.is_some_and(|(_, from)| from == host(headers))
    };
    if headers.get_all(header::ORIGIN).iter().all(is_own) { Ok(()) } else { Err(foreign()) }
}

/// Checks `Sec-Fetch-Site`, which browsers also send where they send no `Origin`: with what a page
/// embeds, as an image, and with what a link leads to. Other sites may have links to the page and
/// nothing else. Another port of this machine is the same site and a foreign page all the same.
fn check_site(method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
    let is = |name: &str, values: &[&str]| {
        headers.get_all(name).iter().all(|value| values.iter().any(|known| value == known))
    };
    let is_link = method == Method::GET
        && uri.path() == "/"
        && is("sec-fetch-mode", &["navigate"])
        && is("sec-fetch-dest", &["document"]);
    if is("sec-fetch-site", &["same-origin", "none"]) || is_link { Ok(()) } else { Err(foreign()) }
}

/// The header `Host`; empty if there is none, or more than one.
fn host(headers: &HeaderMap) -> &str {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (Some(host), None) => host.to_str().unwrap_or_default(),
        _ => "",
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn forbidden(error: impl ToString) -> Refusal {
    Refusal::new(StatusCode::FORBIDDEN, error)
}

fn foreign() -> Refusal {
    forbidden("requests from pages of other sites are not allowed")
}

fn unknown() -> Refusal {
    let reason = "this server needs its token: open the link with ?token=, or send the header \
                  `Authorization: Bearer TOKEN`";
    Refusal::new(StatusCode::UNAUTHORIZED, reason)
}
