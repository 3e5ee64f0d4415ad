//! Whom the server answers: hosts, other sites, the token.

#![cfg(feature = "serve")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::server::ServerSettings;
use crate::tests::common::http::{Answer, Client};
use crate::tests::common::served::{Served, settings};

fn on(host: &str) -> ServerSettings {
    ServerSettings { host: host.parse().unwrap(), ..settings() }
}

/// Asks for a path with these headers.
fn ask(client: Client, path: &str, headers: &[&str]) -> Answer {
    client.ask(&format!("GET {path}"), headers, b"")
}

// ---- hosts ----

#[test]
fn requests_from_other_sites_are_refused() {
    let server = Served::new(settings());
    let port = server.client.0.port();
    let ask = |headers: &[&str]| server.client.ask("GET /api/players", headers, b"");
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        assert_eq!(ask(&[&format!("Host: {host}")]).status, 200);
        assert_eq!(ask(&[&format!("Host: {host}:{port}")]).status, 200);
    }
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost.:1", "", "localhost:x"] {
        ask(&[&format!("Host: {host}")]).refused(
            403,
            "this server accepts only the hosts localhost",
            None,
        );
    }
    let own = format!("Origin: http://127.0.0.1:{port}");
    assert_eq!(ask(&[&own]).status, 200);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        ask(&[&format!("Origin: {origin}")]).refused(403, "pages of other sites", None);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_address_of_this_machine_for_itself_may_be_given() {
    let server = Served::new(on("127.0.0.2"));
    assert_eq!(server.client.get("/").status, 200, "the printed address");
    for host in ["localhost", "127.0.0.1", "127.0.0.2", "[::1]:80"] {
        let host = format!("Host: {host}");
        assert_eq!(ask(server.client, "/", &[&host]).status, 200, "{host}");
    }
    for host in ["127.0.0.3", "evil.example", "::1"] {
        let answer = ask(server.client, "/", &[&format!("Host: {host}")]);
        answer.refused(403, "localhost, 127.0.0.1, [::1] and 127.0.0.2", None);
    }
    let first = Served::new(settings());
    assert_eq!(ask(first.client, "/", &["Host: 127.0.0.2"]).status, 403);
}

#[test]
fn a_server_for_other_machines_refuses_names_which_anybody_may_have() {
    let server = Served::new(on("0.0.0.0"));
    let local: IpAddr = Ipv4Addr::LOCALHOST.into();
    let client = Client(SocketAddr::new(local, server.client.0.port()));
    for host in ["127.0.0.1", "192.168.1.2:7777", "[2001:db8::1]", "localhost"] {
        let host = format!("Host: {host}");
        assert_eq!(ask(client, "/", &[&host]).status, 200, "{host}");
    }
    for host in ["evil.example", "evil.example:7777", "1.2.3.4.evil.example", "[evil]", "1:2:3"] {
        let answer = ask(client, "/", &[&format!("Host: {host}")]);
        answer.refused(403, "only IP addresses and localhost", None);
    }
    ask(client, "/", &["Host: 127.0.0.1", "Host: evil.example"]).refused(403, "only IP", None);
}

// ---- other sites ----

#[test]
fn requests_without_origin_from_other_sites_are_refused() {
    let server = Served::new(settings());
    let client = server.client;
    let asked = |path, site: &str, mode: &str, target: &str| {
        let fields = [("Site", site), ("Mode", mode), ("Dest", target)];
        let headers = fields.map(|(name, value)| format!("Sec-Fetch-{name}: {value}"));
        ask(client, path, &headers.each_ref().map(String::as_str)).status
    };
    for site in ["cross-site", "same-site", "", "unheard-of"] {
        for (mode, target) in [("no-cors", "image"), ("navigate", "document"), ("cors", "empty")] {
            for path in ["/api/games", "/api/runs/one/events", "/assets/icon.svg"] {
                assert_eq!(asked(path, site, mode, target), 403, "{path} {site} {mode}");
            }
        }
        // A link may lead to the page, a frame may not.
        assert_eq!(asked("/", site, "navigate", "document"), 200, "{site}");
        assert_eq!(asked("/", site, "navigate", "iframe"), 403, "{site}");
        assert_eq!(asked("/", site, "no-cors", "image"), 403, "{site}");
    }
    for site in ["same-origin", "none"] {
        assert_eq!(asked("/api/games", site, "cors", "empty"), 200, "{site}");
        assert_eq!(asked("/", site, "navigate", "document"), 200, "{site}");
    }
    let twice = ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"];
    ask(client, "/api/games", &twice).refused(403, "pages of other sites", None);
    let events = ask(client, "/api/runs/one/events", &["Sec-Fetch-Site: cross-site"]);
    events.refused(403, "pages of other sites", None);
}

// ---- the token ----

const TOKEN: &str = "0123456789-abcdef.~_XYZ";

fn with_token() -> Served {
    Served::new(ServerSettings { token: Some(TOKEN.parse().unwrap()), ..settings() })
}

#[test]
fn with_a_token_the_interface_answers_only_those_who_have_it() {
    let server = with_token();
    let client = server.client;
    let paths =
        ["/api/games", "/api/runs/one/events", "/api/nothing", "/nothing", "/api/openapi.json"];
    for path in paths {
        let answer = client.get(path);
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
        answer.refused(401, "this server needs its token", None);
    }
    client.post("/api/position", &serde_json::json!({ "game": "susan" })).refused(401, "", None);
    let port = client.0.port();
    for header in [
        format!("Authorization: Bearer {}", TOKEN.replace('0', "1")),
        format!("Authorization: Bearer {}", &TOKEN[1..]),
        "Authorization: Bearer ".to_owned(),
        format!("Authorization: Basic {TOKEN}"),
        format!("Cookie: tavoliere_{port}={TOKEN}x"),
        format!("Cookie: tavoliere={TOKEN}"),
    ] {
        ask(client, "/api/games", &[&header]).refused(401, "this server needs its token", None);
    }
    client.get(&format!("/api/games?token={TOKEN}")).refused(401, "", None);
    for header in [
        format!("Authorization: Bearer {TOKEN}"),
        format!("Authorization: bearer {TOKEN}"),
        format!("Cookie: other=1; tavoliere_{port}={TOKEN}"),
    ] {
        ask(client, "/api/games", &[&header]).json();
    }
    // The page has no secrets.
    assert_eq!([client.get("/").status, client.get("/assets/main.js").status], [200; 2]);
}

#[test]
fn the_link_with_the_token_sets_a_cookie_and_leads_to_the_page() {
    let server = with_token();
    let client = server.client;
    for query in ["token=", "token=0123456789abcdef", "token", "x=1"] {
        let answer = client.get(&format!("/?{query}"));
        assert_eq!(answer.header("set-cookie"), None);
        assert_eq!(answer.status, if query.contains('=') && query != "x=1" { 401 } else { 200 });
    }
    let entered = client.get(&format!("/?x=1&token={TOKEN}"));
    assert_eq!((entered.status, entered.header("location")), (303, Some("./")));
    assert_eq!(entered.header("cache-control"), Some("no-store"));
    let cookie = entered.header("set-cookie").unwrap();
    let (cookie, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(attributes, "HttpOnly; SameSite=Strict");
    ask(client, "/api/games", &[&format!("Cookie: {cookie}")]).json();
}

#[test]
fn with_a_token_the_server_may_have_any_name_but_other_sites_are_refused() {
    let server = with_token();
    let bearer = format!("Authorization: Bearer {TOKEN}");
    let asked = |headers: &[&str]| {
        ask(server.client, "/api/games", &[&[bearer.as_str()], headers].concat()).status
    };
    assert_eq!(asked(&["Host: games.example", "Origin: https://games.example"]), 200);
    assert_eq!(asked(&["Host: games.example", "Origin: https://evil.example"]), 403);
    assert_eq!(asked(&["Host: games.example", "Sec-Fetch-Site: cross-site"]), 403);
}
