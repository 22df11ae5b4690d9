//! The table of rules.

use super::*;

const NEW: Version = Version(6, 1, 0);

fn facts(kernel: Version, target: u32, rotational: Option<bool>, zoned: bool) -> Facts {
    let dm_crypt = (target > 0).then_some(Version(1, target, 0));
    Facts { kernel: Some(kernel), dm_crypt, rotational, zoned, stored: NONE }
}

#[test]
fn rules() {
    let solid = Some(false);
    let cases = [
        (facts(NEW, 24, solid, false), true, Reason::Solid),
        (facts(NEW, 24, Some(true), false), false, Reason::Rotating),
        (facts(NEW, 24, None, false), false, Reason::Unknown),
        (facts(NEW, 24, solid, true), false, Reason::Zoned),
        (facts(Version(5, 8, 18), 21, solid, false), false, Reason::Old),
        (facts(Version(5, 8, 18), 0, solid, false), false, Reason::Old),
        // A backport: the target's version counts, not the kernel's.
        (facts(Version(5, 4, 0), 22, solid, false), true, Reason::Solid),
        (facts(Version(5, 9, 0), 22, solid, false), false, Reason::Faulty),
        (facts(Version(5, 10, 8), 22, solid, false), false, Reason::Faulty),
        (facts(Version(5, 10, 9), 22, solid, false), true, Reason::Solid),
        (facts(Version(6, 12, 0), 0, solid, false), true, Reason::Solid),
        (Facts { rotational: solid, ..Facts::default() }, false, Reason::Old),
    ];
    for (facts, on, reason) in cases {
        let decision = decide(&facts, Wish::default());
        let flags = if on { QUEUES } else { NONE };
        assert_eq!(decision, Decision { flags, reason }, "{facts:?}");
    }
}

#[test]
fn a_wish_goes_before_the_disk_but_not_before_the_kernel() {
    let wish = Wish { read: Choice::On, write: Choice::Off, ..Wish::default() };
    let decision = decide(&facts(NEW, 24, Some(true), false), wish);
    assert_eq!(decision.flags, Flags { no_read_workqueue: true, ..NONE });
    assert_eq!(decision.reason, Reason::Asked);
    let old = decide(&facts(Version(5, 8, 0), 21, Some(false), false), wish);
    assert_eq!(old, Decision { flags: NONE, reason: Reason::Old });
}

const ALL: Flags = Flags {
    no_read_workqueue: true,
    no_write_workqueue: true,
    same_cpu_crypt: true,
    submit_from_crypt_cpus: true,
    high_priority: true,
};
const CPUS: Flags = Flags { same_cpu_crypt: true, submit_from_crypt_cpus: true, ..NONE };

fn all(choice: Choice) -> Wish {
    Wish { read: choice, write: choice, same_cpu_crypt: choice, submit_from_crypt_cpus: choice, high_priority: choice }
}

/// Kernel, target (0: it does not tell), and the flags that are set when all are asked for.
#[test]
fn each_flag_waits_for_the_target_that_knows_it() {
    let but_high = Flags { high_priority: false, ..ALL };
    let cases = [
        (Version(3, 16, 0), 13, NONE),
        (Version(4, 0, 0), 14, CPUS),
        (Version(3, 16, 0), 0, NONE),
        (Version(4, 19, 0), 0, CPUS),
        (Version(5, 8, 0), 21, CPUS),
        (Version(5, 9, 0), 22, but_high),
        (NEW, 24, but_high),
        (NEW, 0, but_high),
        (Version(6, 9, 0), 25, but_high),
        (Version(6, 9, 0), 26, ALL),
        (Version(6, 12, 0), 28, ALL),
        (Version(6, 12, 0), 0, ALL),
    ];
    for (kernel, target, flags) in cases {
        let facts = facts(kernel, target, Some(true), false);
        assert_eq!(decide(&facts, all(Choice::On)).flags, flags, "{kernel} {target}");
        // What the header asks for is masked the same way, but for the crashing pair.
        let faulty = (FIRST_KERNEL..MENDED_KERNEL).contains(&kernel);
        let kept = if faulty { Flags::from_bits(flags.bits() & !QUEUES.bits()).unwrap() } else { flags };
        assert_eq!(decide(&Facts { stored: ALL, ..facts }, Wish::default()).flags, kept, "{kernel} {target}");
        assert_eq!(decide(&Facts { stored: ALL, ..facts }, all(Choice::Off)).flags, NONE);
        assert_eq!(decide(&facts, Wish::default()).flags, NONE, "only the pair is ever set unasked");
    }
    assert_eq!(decide(&Facts { stored: ALL, ..Facts::default() }, all(Choice::On)).flags, NONE);
}

/// Rotating or not, what the header has, what is asked for, what is set, and why.
#[test]
fn what_is_stored_adds_and_what_is_said_goes_before_it() {
    let (on, off) = (Choice::On, Choice::Off);
    let read = Flags { no_read_workqueue: true, ..NONE };
    let high = Flags { high_priority: true, ..NONE };
    let wish = |read, write| Wish { read, write, ..Wish::default() };
    let cases = [
        (true, NONE, Wish::default(), NONE, Reason::Rotating),
        (true, read, Wish::default(), read, Reason::Stored),
        (true, ALL, Wish::default(), ALL, Reason::Stored),
        (false, read, Wish::default(), QUEUES, Reason::Solid),
        (false, high, Wish::default(), Flags { high_priority: true, ..QUEUES }, Reason::Solid),
        (true, read, wish(off, Choice::Auto), NONE, Reason::Asked),
        (true, read, wish(off, on), Flags { no_write_workqueue: true, ..NONE }, Reason::Asked),
        (false, ALL, wish(off, off), Flags { high_priority: true, ..CPUS }, Reason::Asked),
        (
            false,
            NONE,
            Wish { high_priority: on, ..Wish::default() },
            Flags { high_priority: true, ..QUEUES },
            Reason::Asked,
        ),
        (
            true,
            CPUS,
            Wish { same_cpu_crypt: off, ..Wish::default() },
            Flags { submit_from_crypt_cpus: true, ..NONE },
            Reason::Asked,
        ),
    ];
    for (rotates, stored, wish, flags, reason) in cases {
        let facts = Facts { stored, ..facts(Version(6, 12, 0), 28, Some(rotates), false) };
        assert_eq!(decide(&facts, wish), Decision { flags, reason }, "{rotates} {stored} {wish:?}");
    }
}

#[test]
fn flags_go_both_ways_and_have_the_kernels_names() {
    for bits in 0..=255 {
        assert_eq!(Flags::from_bits(bits).map(Flags::bits), (bits < 32).then_some(bits));
    }
    assert_eq!(ALL.to_string(), NAMES.join(" "));
    assert_eq!(NONE.to_string(), "none");
    for (at, name) in NAMES.iter().enumerate() {
        assert_eq!(Flags::from_bits(1 << at).unwrap().to_string(), *name);
    }
}

#[test]
fn wishes_are_laid_over_one_another() {
    let mut high = Wish { read: Choice::Off, ..Wish::default() };
    high.fill(all(Choice::On));
    assert_eq!(high, Wish { read: Choice::Off, ..all(Choice::On) });
}

#[test]
fn releases_are_read() {
    assert_eq!(Version::parse("6.1.0-57-amd64"), Some(Version(6, 1, 0)));
    assert_eq!(Version::parse("6.12.95+deb12-amd64"), Some(Version(6, 12, 95)));
    assert_eq!(Version::parse("5.10-rc1"), Some(Version(5, 10, 0)));
    let debian = "#1 SMP Debian 5.10.226-1 (2024-10-03)";
    assert_eq!(Version::of_kernel("5.10.0-33-amd64", debian), Some(Version(5, 10, 226)));
    assert_eq!(Version::of_kernel("6.12.3", "#1 SMP PREEMPT_DYNAMIC"), Some(Version(6, 12, 3)));
    assert_eq!(Version::of_kernel("6.12.3", "#1 Debian "), Some(Version(6, 12, 3)));
    for broken in ["", "linux", ".", "99999999999999.1", "é"] {
        assert_eq!(Version::parse(broken), None, "{broken}");
    }
}

#[test]
fn reasons_keep_their_numbers() {
    for code in 0..=255 {
        if let Some(reason) = Reason::from_code(code) {
            assert_eq!(reason as u8, code);
        }
    }
}

/// Who asked for what the kernel does not know is told.
#[test]
fn flags_that_are_left_out_have_a_reason() {
    let high = Wish { high_priority: Choice::On, ..Wish::default() };
    let both = Wish { read: Choice::On, ..high };
    let cpus = Wish { same_cpu_crypt: Choice::On, read: Choice::On, ..Wish::default() };
    let off = Wish { high_priority: Choice::Off, ..Wish::default() };
    let cases = [
        (facts(NEW, 24, Some(true), false), high, NONE, Reason::Old),
        (facts(NEW, 24, Some(false), false), high, QUEUES, Reason::Partly),
        (facts(NEW, 24, Some(true), false), both, Flags { no_read_workqueue: true, ..NONE }, Reason::Partly),
        (facts(Version(4, 19, 0), 18, None, false), cpus, Flags { same_cpu_crypt: true, ..NONE }, Reason::Partly),
        (facts(Version(4, 19, 0), 18, None, false), both, NONE, Reason::Old),
        // What is not to be set is not missed.
        (facts(NEW, 24, Some(false), false), off, QUEUES, Reason::Solid),
        (facts(Version(6, 12, 0), 28, Some(true), false), high, Flags { high_priority: true, ..NONE }, Reason::Asked),
    ];
    for (facts, wish, flags, reason) in cases {
        assert_eq!(decide(&facts, wish), Decision { flags, reason }, "{facts:?} {wish:?}");
    }
}

/// Another kernel may know them, and not crash with them.
#[test]
fn what_is_stored_and_left_out_here_stays_in_the_header() {
    let cases = [
        (facts(NEW, 24, Some(true), false), Wish::default(), ALL),
        (facts(Version(4, 19, 0), 18, None, false), Wish::default(), ALL),
        (facts(Version(5, 10, 0), 22, Some(false), false), Wish::default(), ALL),
        (facts(NEW, 24, Some(true), false), all(Choice::On), ALL),
        (facts(NEW, 24, Some(true), false), all(Choice::Off), NONE),
        (
            facts(NEW, 24, Some(true), false),
            Wish { read: Choice::Off, high_priority: Choice::Off, ..Wish::default() },
            Flags { no_write_workqueue: true, ..CPUS },
        ),
    ];
    for (facts, wish, kept) in cases {
        let facts = Facts { stored: ALL, ..facts };
        assert_eq!(decide(&facts, wish).lasting(ALL, wish), kept, "{facts:?} {wish:?}");
        // Nothing is stored that was not set here.
        let decision = decide(&Facts { stored: NONE, ..facts }, wish);
        assert_eq!(decision.lasting(NONE, wish), decision.flags);
    }
}
