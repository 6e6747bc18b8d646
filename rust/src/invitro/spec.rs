//! What kind of web it is: the numbers behind a preset, all of them settable.

use crate::numbers;

numbers! {
    /// The parameters of a web; `invitro/settings.py` says what each means and what it may be.
    pub struct Spec {
        hosts: u64,
        pages: u64,
        months: u32,
        // shapes
        size_exponent: f64,
        in_exponent: f64,
        out_exponent: f64,
        content_links: f64,
        words: f64,
        local_share: f64,
        sibling_share: f64,
        topical_share: f64,
        topics: u64,
        stock_share: f64,
        uk_share: f64,
        foreign_share: f64,
        legacy_charset_share: f64,
        // time
        host_death_rate: f64,
        host_absence: f64,
        page_death_rate: f64,
        ephemeral_share: f64,
        page_change_rate: f64,
        link_change_rate: f64,
        event_hosts: u64,
        event_pages: u64,
        // continuous time
        ticks_per_day: u32,
        slowest_change: f64,
        fastest_change: f64,
        honest_share: f64,
        stale_share: f64,
        fickle_share: f64,
        // duplicates
        duplicate_share: f64,
        near_duplicate_share: f64,
        near_similarity: f64,
        mirror_share: f64,
        session_share: f64,
        sessions: u64,
        dynamic_share: f64,
        // what crawlers trip over
        redirect_share: f64,
        redirect_loop_share: f64,
        broken_share: f64,
        soft_404_share: f64,
        nofollow_share: f64,
        noindex_share: f64,
        canonical_share: f64,
        volatile_share: f64,
        relative_share: f64,
        base_share: f64,
        robots_share: f64,
        robots_error_share: f64,
        trap_share: f64,
        traps_disallowed: f64,
        hazard_share: f64,
        failing_share: f64,
        flaky_share: f64,
        compressed_share: f64,
        // spam
        spam_hosts: u64,
        farm_hosts: u64,
        comment_spam_share: f64,
        cloaking_share: f64,
        spam_camouflage: f64,
        commercial_share: f64,
        farm_change_rate: f64,
        expired_share: f64,
        // the wire
        tls: u64,
        hosts_per_ip: f64,
        latency: f64,
        slow_share: f64,
        bandwidth: f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_must_come_and_no_other() {
        let mut pairs: Vec<(String, f64)> = Spec::NAMES
            .iter()
            .map(|name| ((*name).to_owned(), 1.0))
            .collect();
        assert!(Spec::from_pairs(&pairs).is_ok());
        pairs.push(("depth".to_owned(), 1.0));
        assert!(Spec::from_pairs(&pairs).is_err());
        assert!(Spec::from_pairs(&pairs[..3]).is_err());
    }
}
