//! Whatever comes in, nothing panics and the model stays whole.

use super::*;

/// A number that looks random, from the one before: splitmix64.
fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((z ^ (z >> 31)) >> 33).unwrap()
}

#[test]
fn any_keys_and_any_mouse() {
    let keys = "a b c d e f g h i j k l m n o p q r s t u v w x y z A D E F G J K M N R Y Z / ! @ # & ? : , [ ] % 1 2 \
                space enter esc tab backtab backspace delete home end pageup pagedown up down left right ctrl-q ctrl-d \
                ctrl-u ctrl-w ctrl-j ctrl-p ctrl-n f5 alt-enter ü 日";
    let keys: Vec<Key> = keys.split_whitespace().map(|k| Key::parse(k).unwrap()).collect();
    let sizes = [(1, 1), (40, 12), (80, 24), (39, 9), (200, 50), (60, 18), (100, 10)];
    for seed in 0..100_u64 {
        let mut state = seed;
        let mut m = model(if seed.is_multiple_of(5) { &[] } else { FULL }, (100, 30));
        for _ in 0..200 {
            let n = next(&mut state);
            let msg = match n % 20 {
                0 => {
                    let (width, height) = sizes[next(&mut state) % sizes.len()];
                    Msg::Resize(width, height)
                }
                1..=3 => {
                    let kinds = [
                        MouseKind::Press,
                        MouseKind::Drag,
                        MouseKind::Release,
                        MouseKind::WheelUp,
                        MouseKind::WheelDown,
                    ];
                    let (column, row) = (next(&mut state) % 210, next(&mut state) % 60);
                    let kind = kinds[next(&mut state) % kinds.len()];
                    Msg::Mouse(Mouse {
                        kind,
                        column: column.try_into().unwrap(),
                        row: row.try_into().unwrap(),
                    })
                }
                4 => Msg::Paste("a\n\u{1b}[31m日本\t".into()),
                6 => shells::seen_by(n % 3),
                5 => Msg::Snapshot(Box::new(snapshot(if n.is_multiple_of(3) { &FULL[..3] } else { FULL }))),
                _ => Msg::Key(keys[next(&mut state) % keys.len()]),
            };
            for effect in update(&mut m, msg) {
                // Effects on a session name one that exists.
                if let Effect::Type(id, ..) | Effect::Attach(id) | Effect::Stop(id) = &effect {
                    assert!(m.record().session(id).is_some(), "seed {seed}: {effect:?}");
                }
            }
            assert!(m.view.cursor.is_none() || m.index().is_some(), "seed {seed}: the cursor is on a row");
            assert!(m.profile.marked.iter().all(|id| m.record().session(id).is_some()), "seed {seed}");
            if n.is_multiple_of(4) {
                shown(&m);
            }
        }
    }
}

#[test]
fn any_keys_at_any_size_never_panic() {
    let mut seed = 7u64;
    let mut random = |n: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let names = [
        "enter",
        "esc",
        "tab",
        "backtab",
        "up",
        "down",
        "left",
        "right",
        "backspace",
        "ctrl-u",
        "ctrl-d",
        "space",
    ];
    let letters: Vec<char> = "abcdfghijklmnopqrstuvxyzRGJKNZ/:?!@#&[]".chars().collect();
    for round in 0..40 {
        let mut m = model(FULL, (40, 12));
        for _ in 0..120 {
            if random(12) == 0 {
                let size = (1 + random(220) as u16, 1 + random(60) as u16);
                update(&mut m, Msg::Resize(size.0, size.1));
            }
            let key = if random(2) == 0 {
                Key::parse(names[random(names.len() as u64) as usize]).unwrap()
            } else {
                Key::char(letters[random(letters.len() as u64) as usize])
            };
            update(&mut m, Msg::Key(key));
            shown(&m);
        }
        assert!(m.view.rows.len() <= 12, "round {round}");
    }
}
