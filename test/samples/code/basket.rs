//! What a customer wants to buy.

use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Basket<'a> {
    items: BTreeMap<&'a str, u32>,
}

impl<'a> Basket<'a> {
    /// Adds pieces of an article; none is no article.
    pub fn add(&mut self, sku: &'a str, count: u32) -> Result<(), String> {
        if count == 0 {
            return Err(format!("no pieces of `{sku}`"));
        }
        *self.items.entry(sku).or_insert(0) += count;
        Ok(())
    }

    pub fn pieces(&self) -> u32 {
        self.items.values().sum()
    }
}
