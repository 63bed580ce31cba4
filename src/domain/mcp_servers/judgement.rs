//! Whether a server may be shared, by what it was seen to do.

/// What a server did while it was looked at. Nothing but lists was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Seen {
    /// Milliseconds from its start to its answer to the handshake.
    pub starts_ms: u64,
    /// The memory of its processes, in KiB; none if the system doesn't say.
    pub memory_kib: Option<u64>,
    /// For each version of the protocol that it was asked for, the one that it answered; none: it refused.
    pub protocols: Vec<(String, Option<String>)>,
    /// Its tools, for a client that can do nothing.
    pub tools: Vec<String>,
    /// Its tools, for a client that can do all that a client may.
    pub tools_for_able: Vec<String>,
    /// What it asked of that client, by method.
    pub asks: Vec<String>,
    /// Lines on its stdout that were no messages.
    pub junk: u64,
}

/// Why it shouldn't be shared, a reason each; empty: nothing speaks against it. `known` is what is known of its package.
pub fn against_sharing(seen: &Seen, known: Option<&str>, protocol: &str) -> Vec<String> {
    let mut all: Vec<String> = known.map(str::to_owned).into_iter().collect();
    if !seen.asks.is_empty() {
        let asks = seen.asks.join(", ");
        all.push(format!("it asks its clients for {asks}, which can't be answered for many"));
    }
    let mut differing: Vec<&str> = seen
        .tools_for_able
        .iter()
        .filter(|tool| !seen.tools.contains(tool))
        .chain(seen.tools.iter().filter(|tool| !seen.tools_for_able.contains(tool)))
        .map(String::as_str)
        .collect();
    differing.sort_unstable();
    if !differing.is_empty() {
        all.push(format!("its tools depend on what its client can do: {}", differing.join(", ")));
    }
    let speaks = seen.protocols.iter().find(|(asked, _)| asked == protocol);
    match speaks {
        Some((asked, Some(answered))) if asked == answered => {}
        Some((asked, Some(answered))) => {
            all.push(format!("asked for {asked} of the protocol, it speaks {answered}"));
        }
        Some((asked, None)) => all.push(format!("it refuses {asked} of the protocol")),
        None => {}
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_against_sharing() {
        let tools = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let fine = Seen {
            protocols: vec![("2025-06-18".into(), Some("2025-06-18".into()))],
            tools: tools(&["a", "b"]),
            tools_for_able: tools(&["b", "a"]),
            ..Seen::default()
        };
        let against = |seen: &Seen| against_sharing(seen, None, "2025-06-18").join("; ");
        assert_eq!(against(&fine), "", "another order is no difference");
        assert_eq!(against_sharing(&fine, Some("it has a shell"), "2025-06-18"), ["it has a shell"]);
        let asking = Seen { asks: vec!["roots/list".into()], ..fine.clone() };
        assert_eq!(against(&asking), "it asks its clients for roots/list, which can't be answered for many");
        let more = Seen { tools_for_able: tools(&["a", "b", "c"]), ..fine.clone() };
        assert_eq!(against(&more), "its tools depend on what its client can do: c");
        let old = Seen { protocols: vec![("2025-06-18".into(), Some("2024-11-05".into()))], ..fine };
        assert_eq!(against(&old), "asked for 2025-06-18 of the protocol, it speaks 2024-11-05");
    }
}
