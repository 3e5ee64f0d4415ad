use super::{for_random_games, plane};
use crate::games::board::Grid;
use crate::games::{Entropy, EntropyRules};

#[test]
fn isolated_pieces_have_a_plane() {
    let mut found = 0;
    for_random_games::<Entropy>(&EntropyRules::default(), 20, |game, _| {
        let own = plane(game, "own pieces");
        let all = &own | &plane(game, "the opponent's pieces");
        let touches = |&cell: &usize| {
            let around = Grid::<5, 5>::neighbours(1 << cell);
            all.iter().any(|other| around >> other & 1 == 1)
        };
        let isolated = own.into_iter().filter(|cell| !touches(cell)).collect();
        assert_eq!(plane(game, "own isolated pieces"), isolated, "{game}");
        found += isolated.len();
    });
    assert!(found > 100, "{found} isolated pieces tell little");
}
