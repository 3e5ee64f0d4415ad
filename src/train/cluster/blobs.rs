//! Bytes on the server under their digest: jobs, weights and earlier games.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use async_nats::jetstream::object_store::{self, ObjectStore};
use tokio::io::AsyncReadExt;
use tokio::time::timeout;

use super::link::{Link, check_full};
use super::names::RunName;
use crate::runs::digest::sha256;

/// Bytes and their digest, by which the server has them.
#[derive(Clone)]
pub(super) struct Blob {
    pub name: String,
    pub bytes: Arc<[u8]>,
}

impl Blob {
    pub(super) fn new(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes = bytes.into();
        Self { name: sha256(&bytes), bytes }
    }
}

/// How long bytes may take on their way: 1 GiB over 100 Mbit/s takes 90 seconds.
const PATIENCE: Duration = Duration::from_secs(300);

/// The bytes of a run on the server.
pub(super) struct Blobs {
    store: ObjectStore,
}

impl Blobs {
    /// Creates the store of a run for at most `max_bytes`, each of them for `max_age`, or opens the
    /// one that is there.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(super) fn create(
        link: &Link,
        run: &RunName,
        max_bytes: i64,
        max_age: Duration,
    ) -> Result<Self> {
        let config = object_store::Config {
            bucket: run.bucket(),
            max_bytes,
            max_age,
            num_replicas: 1,
            ..Default::default()
        };
        let store = link.wait(link.jetstream.create_object_store(config));
        Ok(Self { store: store.context("cannot create the object store of the run")? })
    }

    /// Opens the store of a run.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub(super) async fn open(link: &Link, run: &RunName) -> Result<Self> {
        let store = link.jetstream.get_object_store(run.bucket()).await;
        Ok(Self { store: store.with_context(|| format!("there is no store of the run {run}"))? })
    }

    /// Puts bytes there, unless they are there already.
    ///
    /// # Errors
    ///
    /// If the server refuses or is full.
    pub(super) async fn put(&self, blob: &Blob) -> Result<()> {
        let Blob { name, bytes } = blob;
        let there = self.store.info(name).await;
        if there.is_ok_and(|info| !info.deleted && info.size == bytes.len()) {
            return Ok(());
        }
        let mut reader: &[u8] = bytes;
        let put = self.store.put(name.as_str(), &mut reader);
        let done = timeout(PATIENCE, put).await.context("the server takes no bytes")?;
        if let Err(error) = done {
            check_full(&format!("{error:?}"), "the run's weights")?;
            return Err(error).context("cannot put bytes on the server");
        }
        Ok(())
    }

    /// Fetches the bytes with this digest, if they are at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// If they are not there, too many, or damaged.
    pub(super) async fn get(&self, name: &str, limit: u64) -> Result<Vec<u8>> {
        let fetch = async {
            let object = self.store.get(name).await.context("they are not there")?;
            let size = object.info().size as u64;
            ensure!(size <= limit, "they are {size} bytes, more than {limit}");
            let mut bytes = Vec::with_capacity(size as usize);
            object.take(limit).read_to_end(&mut bytes).await?;
            ensure!(sha256(&bytes) == name, "they are damaged");
            Ok(bytes)
        };
        let fetched = timeout(PATIENCE, fetch).await.unwrap_or_else(|error| Err(error.into()));
        fetched.with_context(|| format!("cannot fetch the bytes {name} from the server"))
    }

    /// Removes the bytes with this digest.
    ///
    /// # Errors
    ///
    /// If the server refuses.
    pub(super) async fn remove(&self, name: &str) -> Result<()> {
        self.store.delete(name).await.context("cannot remove bytes from the server")
    }
}
