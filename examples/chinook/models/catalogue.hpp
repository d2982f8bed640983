// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <winnow/winnow.hpp>

#include "sales.hpp"

namespace chinook {

struct Artist {
    std::int32_t artist_id;
    std::optional<std::string> name;
};
WINNOW_DESCRIBE(Artist, artist_id, name)

struct Album {
    std::int32_t album_id;
    std::string title;
    std::int32_t artist_id;
};
WINNOW_DESCRIBE(Album, album_id, title, artist_id)

struct Genre {
    std::int32_t genre_id;
    std::optional<std::string> name;
};
WINNOW_DESCRIBE(Genre, genre_id, name)

struct MediaType {
    std::int32_t media_type_id;
    std::optional<std::string> name;
};
WINNOW_DESCRIBE(MediaType, media_type_id, name)

struct Track {
    std::int32_t track_id;
    std::string name;
    std::optional<std::int32_t> album_id;
    std::int32_t media_type_id;
    std::optional<std::int32_t> genre_id;
    std::optional<std::string> composer;
    std::int32_t milliseconds;
    std::optional<std::int32_t> bytes;
    std::string unit_price;  ///< exact decimals
};
WINNOW_DESCRIBE(Track, track_id, name, album_id, media_type_id, genre_id, composer, milliseconds, bytes, unit_price)

struct Playlist {
    std::int32_t playlist_id;
    std::optional<std::string> name;
};
WINNOW_DESCRIBE(Playlist, playlist_id, name)

/// Which tracks are on which playlist. The two references are the key.
struct PlaylistTrack {
    std::int32_t playlist_id;
    std::int32_t track_id;
};
WINNOW_DESCRIBE(PlaylistTrack, playlist_id, track_id)

}  // namespace chinook

template <> struct winnow::model<chinook::PlaylistTrack> {
    static constexpr text key = "chinook.PlaylistTrack";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("playlist_track").on_sqlite("PlaylistTrack");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key =
        winnow::primary_key<&chinook::PlaylistTrack::playlist_id, &chinook::PlaylistTrack::track_id>;
};

template <> struct winnow::model<chinook::Playlist> {
    static constexpr text key = "chinook.Playlist";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("playlist").on_sqlite("Playlist");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key = winnow::primary_key<&chinook::Playlist::playlist_id>;
    static constexpr auto children = winnow::children(cascade<&chinook::PlaylistTrack::playlist_id>);
};

template <> struct winnow::model<chinook::Track> {
    static constexpr text key = "chinook.Track";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("track").on_sqlite("Track");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key = winnow::primary_key<&chinook::Track::track_id>;
    static constexpr auto children =
        winnow::children(cascade<&chinook::PlaylistTrack::track_id>, cascade<&chinook::InvoiceLine::track_id>);
};

template <> struct winnow::model<chinook::Album> {
    static constexpr text key = "chinook.Album";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("album").on_sqlite("Album");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key = winnow::primary_key<&chinook::Album::album_id>;
    static constexpr auto children = winnow::children(cascade<&chinook::Track::album_id>);
};

template <> struct winnow::model<chinook::Artist> {
    static constexpr text key = "chinook.Artist";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("artist").on_sqlite("Artist");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key = winnow::primary_key<&chinook::Artist::artist_id>;
    static constexpr auto children = winnow::children(cascade<&chinook::Album::artist_id>);
};

template <> struct winnow::model<chinook::Genre> {
    static constexpr text key = "chinook.Genre";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("genre").on_sqlite("Genre");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key = winnow::primary_key<&chinook::Genre::genre_id>;
    static constexpr auto children = winnow::children(set_null<&chinook::Track::genre_id>);
};

template <> struct winnow::model<chinook::MediaType> {
    static constexpr text key = "chinook.MediaType";
    static constexpr auto silo = winnow::silo::cell;
    static constexpr auto table = winnow::table("media_type").on_sqlite("MediaType");
    static constexpr auto naming = chinook::names;
    static constexpr auto primary_key = winnow::primary_key<&chinook::MediaType::media_type_id>;
    /// A format cannot go while a track has it.
    static constexpr auto children = winnow::children(restrict_<&chinook::Track::media_type_id>);
};
